"""What stops an import of Temporal histories before anything was judged: the mapping file is absent or wrong."""

from agent_saga.trace.errors import AgentSagaError


class MappingNeeded(AgentSagaError):
    """No mapping was given. skeleton: a mapping file to start from, for the calls of this history."""

    def __init__(self, path: str, skeleton: str) -> None:
        super().__init__(path, skeleton)  # the arguments as they are, so that a process can hand the error to another
        self.path = path
        self.skeleton = skeleton

    def __str__(self) -> str:
        return (
            f"{self.path}: a Temporal history does not say which activities change the world; give a mapping file that "
            "does (docs/sources/temporal.md)"
        )


class MappingError(AgentSagaError):
    """The mapping file is wrong. problems: every one of them, each naming its place."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "the mapping file is wrong: " + "; ".join(self.problems)
