"""Faults made on purpose: good traces of every shape, and operators that spoil them in ways that rules.md
names.

Nothing here uses the code under test to make a trace: lines are written with the standard library alone, so
that the files under fixtures/ can be made, checked and used without it.
"""
