"""Search attributes: which saga, by its definition's name and its status. Nothing of a goal, a person or a tenant."""

from typing import Final

from temporalio.common import SearchAttributeKey, SearchAttributePair, SearchAttributeUpdate, TypedSearchAttributes

NAME: Final = SearchAttributeKey.for_keyword("AgentSagaName")
STATUS: Final = SearchAttributeKey.for_keyword("AgentSagaStatus")
BOTH: Final = (NAME, STATUS)


def beginning(name: str) -> TypedSearchAttributes:
    """The attributes that a workflow is started with. name: of the saga's definition."""
    return TypedSearchAttributes([SearchAttributePair(NAME, name), SearchAttributePair(STATUS, "going")])


def status(word: str) -> "list[SearchAttributeUpdate[str]]":
    """The change of the status."""
    return [STATUS.value_set(word)]
