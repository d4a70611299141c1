"""A random walk over sagas: lines that are well formed and correctly chained, and now and then dishonest.

A walk makes effects, tells what became of them, undoes some, in any order, in parts, under branches and fallbacks, asks
a person about others, and ends with a summary of its own. Each walk has its own share of dishonesty, from none: a key
used twice, an undo of something else, a refund in another currency, an outcome told twice, a retry that nobody allowed,
an effect after the rollback, a loser that stays, a decision that nobody signed. A walk knows no rule of the certifier,
and honest walks go wrong as well, since they undo in whatever order chance has it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy

from oraclelib.sagas import money
from walking_lines import Effect, Line, pay
from walking_moves import Moves

ENDS_BACK = ("compensated_verified", "compensated_verified", "aborted_clean", "closed_with_exceptions")


CHILDREN = 0.25
"""Share of the sagas with an effect that another saga carries out."""


def walk(saga: str, parent: Line | None = None) -> list[Line]:
    """The lines of a saga, without chain. saga: its name and seed. parent: another's effect that it carries out."""
    walker = Walk(random.Random(saga), saga)
    walker.run(parent)
    return walker.pen.lines


def family(seed: int) -> dict[str, list[Line]]:
    """The saga of this seed and its line of children, by name, in no certain order: each walks as it likes, so that
    a child may stand whose parent's effect is gone, or be undone for nothing."""
    rng, saga = random.Random(f"family {seed}"), f"walk-{seed}"
    sagas = {saga: walk(saga)}
    while rng.random() < CHILDREN:
        done = [line["effect"] for line in sagas[saga] if line["type"] == "effect.intended" and line["tool"] != "look"]
        if not done:
            break
        parent, saga = {"saga": saga, "effect": rng.choice(done)}, f"{saga}-child"
        sagas[saga] = walk(saga, parent)
    return dict(rng.sample(list(sagas.items()), len(sagas)))


class Walk(Moves):
    """A walk from its start to its end."""

    def run(self, parent: Line | None = None) -> None:
        """Write the whole saga."""
        self.pen.start(parent)
        for _ in range(self.rng.randint(3, 22)):
            self.rng.choice(self._moves())()
        self.finish()

    def _moves(self) -> list[Callable[[], None]]:
        """What may come next, the likelier the more often."""
        moves: list[Callable[[], None]] = []
        if not self.rolled_back or self.lies():
            moves += [self.begin] * 4
        if self.effects:
            moves += [self.tell] * 5
        if self.undos:
            moves += [self.tell_of_an_undo] * 4
        if any(effect.in_force for effect in self.effects.values()):
            moves += [self.undo] * (5 if self.rolled_back else 1)
        moves.append(self.check)
        if not self.rolled_back and self.effects:
            moves.append(self.roll_back)
        if any("branch" in effect.call for effect in self.effects.values()):
            moves.append(self.choose)
        if self.asks and self.waiting():
            moves += [self.ask_a_person] * 2
        if self.lies():
            moves += [self.undo, self.tell, self.retry]
        return moves + [self.retry] * bool(self.effects)

    def finish(self) -> None:
        """Settle most of what is open, undo what is to go, check, and sum up."""
        for effect in self.effects.values():
            if effect.state in ("open", "unknown") and self.rng.random() < 0.9:
                self._settle(effect)
        back = self.rolled_back or self.rng.random() < 0.35
        going = list(self.effects.values()) if back else self._losers()
        for effect in reversed(going):
            if effect.in_force and not effect.kept and self.rng.random() < 0.97:
                self._take_back(effect)
        if not back and self.rng.random() < 0.9:
            self.check(True)
        status = self.rng.choice(ENDS_BACK) if back else "succeeded_verified"
        held = [name for name, effect in self.effects.items() if effect.in_force]
        self.pen.put("saga.ended", status=status, held=held)

    def _settle(self, effect: Effect) -> None:
        inverse = effect.inverse or self.inverse(effect)
        if effect.state == "open":
            self.pen.succeeded(effect, inverse)
        elif self.rng.choice((True, False)):
            self.pen.found_landed(effect, inverse)
        else:
            self.pen.found_absent(effect)

    def _losers(self) -> list[Effect]:
        """Effects of the options that were not chosen, as far as the walker looks: at the outer group."""
        winner = {line["branch"]: line["winner"] for line in self.pen.of("branch.chosen")}.get("g")
        of_a_branch = [effect for effect in self.effects.values() if winner and "branch" in effect.call]
        return [effect for effect in of_a_branch if effect.call["branch"].split(".")[1] != winner]

    def _take_back(self, effect: Effect) -> None:
        """Undo what is left of an effect; the walker then believes that it is gone."""
        inverse = deepcopy(effect.inverse or self.inverse(effect) or {})
        if effect.given:
            pay(inverse, money(inverse["amount"]["minor"] - effect.given))
        undo = self.pen.intend_undo(effect, inverse, f"k-u{len(self.undos)}-{self.rng.random()}")
        self.pen.undo_told(undo, "succeeded")
        effect.undone = True
