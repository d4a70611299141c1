"""The kernel: a saga's state is a fold over its own trace, and what comes next is one table over that state.

Pure: no file, no clock, no randomness, no provider. :func:`~.fold.fold` makes the state of the lines,
:func:`~.decide.decide` says what to do, :func:`~.intents.propose` turns what an agent wants into lines, and
:func:`~.deciding.judge` accepts or refuses a person's word. Both the embedded engine and others drive the same kernel.
"""
