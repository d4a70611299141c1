"""What is wrong with a registry before anybody needs it: a quorum that nobody can reach, a person without a key.

Source: docs/spec/approval-v1.md, "The registry"; rule 7 of the approvals design.
"""

from collections.abc import Collection, Iterator, Mapping

from agent_saga.approvals.registry.model import Registry


def lint(
    registry: Registry, quorums: Mapping[tuple[str, ...], int], at: str, revoked: Collection[str] = ()
) -> Iterator[str]:
    """Say, in sentences, what cannot work. quorums: how many persons of which roles are asked for somewhere.

    at: an instant; keys outside their window then, and revoked ones, count as none. An empty answer means that
    nothing was found.
    """
    able = {key.person for key in registry.keys if key.not_before <= at <= key.not_after and key.id not in revoked}
    for roles, quorum in sorted(quorums.items()):
        persons = {one.id for one in registry.people if one.id in able and set(one.roles) & set(roles)}
        if len(persons) < quorum:
            yield (
                f"{quorum} persons in the roles {', '.join(roles)} are asked for, and {len(persons)} have a valid key: "
                "nobody could ever approve"
            )
    for person in registry.people:
        if person.roles and person.id not in able:
            yield f"{person.id} has the roles {', '.join(person.roles)} and no key that is valid"
