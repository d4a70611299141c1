"""The choices in effect: what each may say of a run, and which rules and frameworks their words name.

Source: docs/configuration.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent_saga.certify.report import Choices
from agent_saga.certify.settings.documents import did_you_mean
from agent_saga.certify.settings.keys import SettingsError


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices in effect. config: the configuration files that set at least one of them, "" for none."""

    paths: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    inconclusive: str = "strict"
    open: str = "error"
    baseline: str = ""
    show_suppressed: bool = False
    now: str = ""
    jobs: int = 0
    expect_root: str = ""
    expect_size: int = 0
    checkpoint: tuple[str, ...] = ()
    pin: str = ""
    registry: str = ""
    registry_digest: str = ""
    trust_on_first_use: bool = False
    policy: tuple[str, ...] = ()
    require_policy_digest: str = ""
    waivers: str = ""
    require_chain: bool = False
    mapping: str = ""
    disclosures: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    stdin_filename: str = "-"
    log_format: str = "text"
    config: str = ""

    def choices(self, rules: Mapping[str, str], baseline_sha256: str = "") -> Choices:
        """What a report says about these settings.

        rules: code to name of every rule. Raises SettingsError for a rule that does not exist, or when none is left.
        """
        selected = _rule_codes(self.select, rules, "select")
        ignored = _rule_codes(self.ignore, rules, "ignore")
        if not set(selected or rules) - set(ignored):
            raise SettingsError("select and ignore leave no rule to judge by; ignore fewer")
        return Choices(
            fail_on=self.fail_on,
            inconclusive=self.inconclusive,
            open=self.open,
            require_chain=self.require_chain,
            selected=selected,
            ignored=ignored,
            expected_root=self.expect_root,
            expected_size=self.expect_size,
            checkpoints=self.checkpoint,
            pin=self.pin,
            registry=self.registry,
            registry_digest=self.registry_digest,
            trust_on_first_use=self.trust_on_first_use,
            policies=self.policy,
            policy_digest=self.require_policy_digest,
            waivers=self.waivers,
            controls=_known_frameworks(self.controls),
            now=self.now,
            config=self.config,
            baseline=self.baseline if baseline_sha256 else "",
            baseline_sha256=baseline_sha256,
        )


def _rule_codes(words: Iterable[str], rules: Mapping[str, str], where: str) -> tuple[str, ...]:
    """The codes that the words name: codes, names, or families (AS2). rules: code to name of every rule.

    where: names the setting for messages. Raises SettingsError for a word that names no rule.
    """
    codes: set[str] = set()
    for word in words:
        found = {code for code, name in rules.items() if _names(word, code, name)}
        if not found:
            families = {code[:3] for code in rules}
            hint = did_you_mean(word, [*rules, *rules.values(), *families])
            raise SettingsError(f"{where}: {word!r} names no rule{hint or '; `agent-saga rules` lists them'}")
        codes |= found
    return tuple(sorted(codes))


def _known_frameworks(idents: Iterable[str]) -> tuple[str, ...]:
    """The control frameworks, each once. Raises SettingsError for one that does not exist."""
    wanted = tuple(dict.fromkeys(idents))
    if wanted:
        from agent_saga.certify.controls.reading import ControlsError, framework

        try:
            for ident in wanted:
                framework(ident)
        except ControlsError as fault:
            raise SettingsError(f"controls: {fault}") from fault
    return wanted


def _names(word: str, code: str, name: str) -> bool:
    return word.upper() in (code, code[:3]) or word.lower() == name
