"""A log whose policy changed: each call is judged by the one that was in force, which the log's own lines must tell."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.certificate.making import statement
from agent_saga.certify.certificate.opening import Certificate
from agent_saga.certify.certificate.reading import check_predicate
from agent_saga.certify.certificate.rederiving import Given, NotComparable, rederive
from agent_saga.certify.judging import dividing
from agent_saga.certify.judging.covering import Wanted
from agent_saga.certify.policing.trust import PolicyChoice
from agent_saga.certify.report import Choices, Report
from agent_saga.certify.run import Options, certify
from agent_saga.fleet.incremental import certify_since
from agent_saga.proofs.checkpoints import Checkpoint, sign_checkpoint
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.pins import Pin, Pins, parse_pins

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rulelib.checkpoints import pin
from rulelib.lines import chain, conceal, written
from rulelib.policies import DIGEST, SHOP, digest, waiver, waivers
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE

ORIGIN = "shop.example/audit"
KEY = key_from_seed(ORIGIN, "log", b"n" * 32)
NOW = "2026-01-05T10:00:00.000000Z"
NEW: dict[str, Any] = json.loads(json.dumps(SHOP)) | {"version": 2}
NEW["rules"][2] = {"id": "few-lamps", "when": 'tool == "stock.reserve" && args.count > 3', "then": "deny"}
NEWER = digest(NEW)
RATE = NEW["limits"][1]
LAMPS = "do e1 stock.reserve arg.count={count} saga={saga}\nsuccess e1 saga={saga}"
OLD_SAGA = f"begin policy={DIGEST} saga=a\n{LAMPS.format(count=10, saga='a')}"
NEW_SAGA = f"begin policy={NEWER} saga=b\n{LAMPS.format(count=3, saga='b')}"
ADOPTED = f"adopt {NEWER} ana-1 ben-1"
OPENED = f"opened policy={DIGEST}"
LOG = "\n".join((OPENED, OLD_SAGA, ADOPTED, NEW_SAGA))


def judged(folder: Path, script: str, *policies: dict[str, Any], jobs: int = 1, **choices: object) -> Report:
    """The report on a script's log, judged by these policies and the registry."""
    (folder / "registry.json").write_bytes(REGISTRY_FILE)
    (folder / "log.jsonl").write_bytes(written(chain(SignedScript("over-time").run(script))))
    made = {"registry": str(folder / "registry.json"), "policies": files(folder, *policies), **choices}
    return certify([str(folder / "log.jsonl")], Options(choices=Choices(**made), jobs=jobs))  # type: ignore[arg-type]


def files(folder: Path, *policies: dict[str, Any]) -> tuple[str, ...]:
    """The policies in files."""
    paths = [folder / f"v{number}.json" for number in range(len(policies))]
    for path, policy in zip(paths, policies, strict=True):
        path.write_text(json.dumps(policy), "utf-8")
    return tuple(map(str, paths))


def named(report: Report) -> list[tuple[str, str]]:
    """Code and saga of each finding; the saga as its script calls it."""
    return sorted((finding.code, finding.saga.split("-")[0]) for finding in report.findings)


def codes(report: Report) -> list[str]:
    return sorted(finding.code for finding in report.findings)


def test_each_call_is_judged_by_the_policy_that_was_in_force(tmp_path: Path) -> None:
    report = judged(tmp_path, LOG, SHOP, NEW)
    assert (codes(report), int(report.exit_code)) == ([], 0)
    said = " ".join(report.inputs[0].assumptions)
    assert f"1 call was judged by policy shop version 1 ({DIGEST[:16]}...)" in said
    assert f"1 call was judged by policy shop version 2 ({NEWER[:16]}...)" in said
    many = LOG.replace(LAMPS.format(count=3, saga="b"), LAMPS.format(count=4, saga="b"))
    beyond = judged(tmp_path, many, SHOP, NEW)
    (found,) = beyond.findings
    assert named(beyond) == [("AS401", "b")]
    assert "few-lamps" in found.because
    assert "policy shop version 2" in found.because


@pytest.mark.parametrize("policies", [(SHOP,), (NEW,)], ids=["the old one alone", "the new one alone"])
def test_one_policy_does_not_do_for_a_log_that_had_two(policies: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    assert "AS402" in codes(judged(tmp_path, LOG, *policies))


def test_a_saga_that_ran_on_is_judged_by_the_new_policy_from_its_line_on(tmp_path: Path) -> None:
    """The runtime lets it go on under the adopted policy, so the certifier must know both."""
    start = f"{OPENED}\nbegin policy={DIGEST} saga=a\ndo e1 stock.reserve arg.count=10 saga=a\n{ADOPTED}"
    late = f"{start}\ndo e2 stock.reserve arg.count=3 saga=a\nsuccess e1 e2 saga=a"
    assert codes(judged(tmp_path, late, SHOP, NEW)) == []
    (found,) = judged(tmp_path, late.replace("count=3", "count=10"), SHOP, NEW).findings
    assert (found.code, found.subject) == ("AS401", "effect e2")


def test_who_names_the_old_policy_is_not_judged_by_it(tmp_path: Path) -> None:
    """The judged party writes saga.started: it may not choose the kinder of two."""
    stale = LOG.replace(NEW_SAGA, NEW_SAGA.replace(NEWER, DIGEST).replace("count=3", "count=10"))
    assert codes(judged(tmp_path, stale, SHOP, NEW)) == ["AS401", "AS402"]


def test_an_adoption_that_nobody_with_authority_signed_puts_nothing_in_force(tmp_path: Path) -> None:
    forged = LOG.replace(ADOPTED, f"adopt {NEWER} ana-1")
    assert int(judged(tmp_path, forged, SHOP, NEW).exit_code) == 1


def test_without_the_logs_own_word_nobody_can_tell_which_was_in_force(tmp_path: Path) -> None:
    report = judged(tmp_path, f"{OLD_SAGA}\n{NEW_SAGA}", SHOP, NEW)
    assert (set(codes(report)), int(report.exit_code)) == ({"AS402"}, 3)
    assert "cannot be told" in report.findings[0].because
    unpinned = judged(tmp_path, LOG, SHOP, NEW, registry="")
    assert (set(codes(unpinned)), int(unpinned.exit_code)) == ({"AS402"}, 3), "any operator can adopt what he likes"


def test_the_last_policy_given_must_be_the_one_that_the_log_ends_under(tmp_path: Path) -> None:
    """A log that never adopted what the risk team has put in force is not certified by what was before."""
    (found,) = judged(tmp_path, f"{OPENED}\n{OLD_SAGA}", SHOP, NEW).findings
    assert (found.code, found.subject) == ("AS402", "policy at the end")
    (turned,) = judged(tmp_path, LOG, NEW, SHOP).findings
    assert (turned.code, turned.subject) == ("AS402", "policy at the end")


def rated(count: int, saga: str, policy: str) -> str:
    """A saga that books so many times."""
    calls = "".join(f"do e{n} shipping.book saga={saga}\n" for n in range(count))
    return f"begin policy={policy} saga={saga}\n{calls}success {' '.join(f'e{n}' for n in range(count))} saga={saga}"


def test_a_limit_counts_the_calls_from_before_its_policy(tmp_path: Path) -> None:
    within = "\n".join((OPENED, rated(1, "a", DIGEST), ADOPTED, rated(1, "b", NEWER)))
    assert codes(judged(tmp_path, within, SHOP, NEW)) == []
    beyond = "\n".join((OPENED, rated(2, "a", DIGEST), ADOPTED, rated(1, "b", NEWER)))
    report = judged(tmp_path, beyond, SHOP, NEW)
    (found,) = report.findings
    assert named(report) == [("AS403", "b")]
    assert "booking-rate of policy shop version 2 to 3 of 2" in found.because


def test_a_call_is_held_to_no_limit_of_a_policy_that_was_not_in_force(tmp_path: Path) -> None:
    tight = NEW | {"limits": [NEW["limits"][0], RATE | {"max": 1}]}
    log = "\n".join((OPENED, rated(2, "a", DIGEST), f"adopt {digest(tight)} ana-1 ben-1"))
    assert codes(judged(tmp_path, log, SHOP, tight)) == []
    wide = NEW | {"limits": [NEW["limits"][0], RATE | {"max": 9}]}
    log = "\n".join((OPENED, f"adopt {digest(wide)} ana-1 ben-1", rated(9, "b", digest(wide))))
    assert codes(judged(tmp_path, log, SHOP, wide)) == []


def test_what_an_earlier_call_took_and_nobody_can_tell_is_said(tmp_path: Path) -> None:
    """The calls under the old policy have no branch; the new one counts charges by branch."""
    branch = json.loads(json.dumps(NEW))
    branch["tools"]["payments.charge"]["args"]["properties"]["branch"] = {"type": "string"}
    branch["tools"]["payments.charge"]["args"]["required"].append("branch")
    branch["limits"][0]["per"].append("args.branch")
    new = digest(branch)
    log = "\n".join((OPENED, *(f"begin policy={DIGEST} saga=a\ndo e1 payments.charge saga=a\nsuccess e1 saga=a",),
                     f"adopt {new} ana-1 ben-1", rated(1, "b", new)))  # fmt: skip
    report = judged(tmp_path, log, SHOP, branch)
    assert codes(report) == []
    said = "1 calls from before policy shop version 2 count as nothing for its limits: what they took cannot be told"
    assert said in report.inputs[0].assumptions


OLDER: dict[str, Any] = SHOP | {"rules": [one for one in SHOP["rules"] if one["id"] != "few-lamps"]}
LAMPS_A_DAY = {"id": "lamps", "sum": "args.count", "of": 'tool == "stock.reserve"', "window": "PT24H", "max": 5}
COUNTING: dict[str, Any] = OLDER | {"version": 2, "limits": [LAMPS_A_DAY]}


def hidden(folder: Path, own: dict[str, Any], count: int = 3, waits: int = 0, jobs: int = 1) -> tuple[Report, Report]:
    """A log whose first call conceals how many lamps it took, under a policy that does not ask; the next policy does.

    Reports without what is concealed and with it. own: of the later call's policy. waits: seconds before that call.
    """
    new, opened = digest(own), []
    first = f"begin policy={digest(OLDER)} saga=a\n{LAMPS.format(count=3, saga='a')}"
    second = f"begin policy={new} saga=b\n{LAMPS.format(count=3, saga='b')}"
    script = "\n".join((f"opened policy={digest(OLDER)}", first, f"adopt {new} ana-1 ben-1", second))
    lines = SignedScript("over-time").run(script)
    for line in lines:
        if line["saga"].startswith("a-") and "args" in line:
            sealed, disclosure = conceal(count, "lamps", line["type"])
            line["args"] = {**line["args"], "count": sealed}
            opened.append(disclosure + "\n")
        if line["saga"].startswith("b-"):
            line["at"] = f"2026-01-05T09:{10 + waits // 60:02}:{waits % 60:02}.000000Z"
    (folder / "log.jsonl").write_bytes(written(chain(lines)))
    (folder / "registry.json").write_bytes(REGISTRY_FILE)
    (folder / "opened").write_text("".join(opened), "ascii")
    choices = Choices(registry=str(folder / "registry.json"), policies=files(folder, OLDER, own))
    both = ((), (str(folder / "opened"),))
    sealed_, plain = (
        certify([str(folder / "log.jsonl")], Options(choices=choices, jobs=jobs, disclosures=one)) for one in both
    )
    return sealed_, plain


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_an_earlier_call_took_and_conceals_leaves_a_later_limit_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    sealed, plain = hidden(tmp_path, COUNTING, jobs=jobs)
    assert (codes(sealed), int(sealed.exit_code)) == (["AS403", "AS602"], 3), (
        "AS602: nor are proposal and call compared"
    )
    (found,) = (one for one in sealed.findings if one.code == "AS403")
    assert "a call from before" in found.because
    assert (codes(plain), int(plain.exit_code)) == (["AS403"], 1)
    sealed, plain = hidden(tmp_path, COUNTING, count=2, jobs=jobs)
    assert (codes(sealed), codes(plain)) == (["AS403", "AS602"], [])


def test_what_is_concealed_matters_only_within_the_window_and_to_limits_that_count_it(tmp_path: Path) -> None:
    short = COUNTING | {"limits": [LAMPS_A_DAY | {"window": "PT10M"}]}
    assert codes(hidden(tmp_path, short, waits=0)[0]) == ["AS403", "AS602"]
    assert codes(hidden(tmp_path, short, waits=300)[0]) == ["AS602"]
    other = COUNTING | {"limits": [LAMPS_A_DAY | {"of": 'tool == "payments.charge"', "sum": "1"}]}
    assert codes(hidden(tmp_path, other)[0]) == ["AS602"]
    trial = COUNTING | {"limits": [LAMPS_A_DAY | {"enforcement": "advisory"}]}
    assert codes(hidden(tmp_path, trial)[0]) == ["AS602"]


@pytest.mark.parametrize("night", range(1, 10))
def test_what_was_concealed_on_the_night_before_is_not_forgotten(night: int, tmp_path: Path) -> None:
    whole, _ = hidden(tmp_path, COUNTING)
    lines = (tmp_path / "log.jsonl").read_bytes().splitlines()
    choices = Choices(policies=files(tmp_path, OLDER, COUNTING), registry=str(tmp_path / "registry.json"))
    for size in (night, len(lines)):
        (tmp_path / "log.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:size]))
        point = Checkpoint(ORIGIN, size, root_of([leaf(line) for line in lines[:size]]))
        note = str(sign_checkpoint(point, KEY.vkey, KEY)).encode()
        options = Options(choices=choices, wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), (note,)))
        report = certify_since(str(tmp_path / "log.jsonl"), options, tmp_path / "state", NOW)
    assert [(one.code, one.because) for one in report.findings] == [(one.code, one.because) for one in whole.findings]
    assert report.exit_code == whole.exit_code == 3


@pytest.mark.parametrize("night", range(1, 18))
def test_a_night_goes_on_from_the_one_before_and_comes_to_the_same(night: int, tmp_path: Path) -> None:
    """The log's sagas are open at once, and its policy changes while they are."""
    old = [f"begin policy={DIGEST} saga={one}\ndo e1 shipping.book saga={one}" for one in "ab"]
    new = f"{rated(1, 'c', NEWER)}\ndo e2 stock.reserve arg.count=4 saga=a\nsuccess e1 saga=b\nsuccess e1 e2 saga=a"
    whole = judged(tmp_path, "\n".join((OPENED, *old, ADOPTED, new)), SHOP, NEW)
    assert named(whole) == [("AS401", "a"), ("AS403", "c")]
    lines = (tmp_path / "log.jsonl").read_bytes().splitlines()
    assert len(lines) > night
    choices = Choices(policies=files(tmp_path, SHOP, NEW), registry=str(tmp_path / "registry.json"))
    for size in (night, len(lines)):
        (tmp_path / "log.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:size]))
        point = Checkpoint(ORIGIN, size, root_of([leaf(line) for line in lines[:size]]))
        note = str(sign_checkpoint(point, KEY.vkey, KEY)).encode()
        options = Options(choices=choices, wanted=Wanted(Pins(Pin(ORIGIN, KEY.vkey)), (note,)))
        report = certify_since(str(tmp_path / "log.jsonl"), options, tmp_path / "state", NOW)
    assert report.findings == tuple(replace(one, source=str(tmp_path / "log.jsonl")) for one in whole.findings)
    said = [one for one in report.inputs[0].assumptions if "judged by policy" in one]
    assert said == [one for one in whole.inputs[0].assumptions if "judged by policy" in one]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_answer_does_not_depend_on_how_the_work_is_divided(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    before = [rated(1, f"a{n}", DIGEST) for n in range(4)]
    after = [rated(1, f"b{n}", NEWER) for n in range(4)]
    report = judged(tmp_path, "\n".join((OPENED, *before, ADOPTED, *after)), NEW, SHOP, jobs=jobs)
    found = [(one.code, one.saga, one.subject, one.count) for one in report.findings]
    assert ("AS402", "", "policy at the end", 1) in found
    assert [saga for code, saga in named(report) if code == "AS403"] == ["a2", "a3", "b0", "b1", "b2", "b3"]


def test_waivers_lift_what_either_policy_has(tmp_path: Path) -> None:
    (tmp_path / "waivers.json").write_bytes(waivers(waiver("few-lamps")))
    more = LOG.replace("count=10", "count=11").replace("count=3", "count=4")
    assert codes(judged(tmp_path, more, SHOP, NEW)) == ["AS401", "AS401"]
    report = judged(tmp_path, more, SHOP, NEW, waivers=str(tmp_path / "waivers.json"))
    assert (codes(report), report.inputs[0].waived) == ([], {"W-3": 2})


def test_the_same_policy_twice_is_bad_usage(tmp_path: Path) -> None:
    with pytest.raises(PolicyChoice, match="another --policy names already"):
        judged(tmp_path, LOG, SHOP, SHOP)
    with pytest.raises(PolicyChoice, match="--require-policy-digest names"):
        judged(tmp_path, LOG, SHOP, NEW, policy_digest=DIGEST)


def test_a_certificate_names_all_of_them_and_is_reached_again_by_all_of_them(tmp_path: Path) -> None:
    report = judged(tmp_path, LOG, SHOP, NEW)
    made = statement(report, NOW)
    check_predicate(made)
    assert (made.predicate["policy"], made.predicate["earlier_policies"]) == (NEWER, [DIGEST])
    pins = parse_pins(pin().decode())
    certificate, trace = Certificate(made, pins.log.vkey), str(tmp_path / "log.jsonl")
    both, registry = files(tmp_path, SHOP, NEW), str(tmp_path / "registry.json")
    assert int(rederive(certificate, Given(trace, registry=registry, policies=both), pins).exit_code) == 0
    for other in (both[1:], both[::-1], ()):
        with pytest.raises(NotComparable, match="give --policy"):
            rederive(certificate, Given(trace, registry=registry, policies=other), pins)
    made.predicate["earlier_policies"] = [NEWER]
    with pytest.raises(Refuted, match="policies that were in force before"):
        check_predicate(made)


def test_a_log_of_another_format_cannot_say_which_was_in_force(tmp_path: Path) -> None:
    """By one policy its calls are judged; by one of two they would be judged by whichever is kinder."""
    log = next((Path(__file__).resolve().parents[2] / "fixtures" / "sources" / "agentic-saga" / "good").glob("*.json"))
    one, two = (Choices(policies=files(tmp_path, *given)) for given in ((NEW,), (SHOP, NEW)))
    (by_one,), (by_two,) = (certify([str(log)], Options(choices=made)).inputs for made in (one, two))
    assert "AS401" not in by_one.not_assessable
    assert {"AS401", "AS402", "AS403", "AS408"} <= by_two.not_assessable.keys()
    assert any("2 policies were given" in said for said in by_two.assumptions)
