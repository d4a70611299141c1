"""What is in force at a line of a log, by its own lines and by what the user trusts.

- :mod:`~.trust`: which registry the user trusts; :mod:`~.authority`: which registry and policy are in force

Source: docs/rules.md, "Approvals".
"""
