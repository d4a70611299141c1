"""The choices of a run: where they come from, what they may be, and the documents that they are read from.

Source: docs/configuration.md.
"""
