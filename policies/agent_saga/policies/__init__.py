"""Policies: files that a risk team reads, tests, compares, plays against last month's traces, and signs.

A policy says which tools there are and of which class, which calls are denied or need persons, and how much may be
spent in a window of time. Conditions are written in a strict subset of CEL. The same compiled policy answers the
runtime's gate, the certifier and the back-test: one engine, one verdict.

Source: docs/spec/policy-v1.md.
"""
