"""No module needs itself: imports go one way, those for types and those inside functions too."""

from graphlib import TopologicalSorter

import grimp


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("agent_saga", cache_dir=None)
    needs = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(needs) > 700
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the circle
