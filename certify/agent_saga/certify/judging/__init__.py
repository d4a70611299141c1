"""From inputs to findings: one flow, in this order.

- ``dividing``: inputs, and parts of large ones, among processes
- ``inputs``: one input, or a part of it; ``outcomes``: its parts together
- ``gathering``: the lines of one saga together
- ``feeding``: lines or imported events, to the judge
- ``engine``: an event, then the rules of its type (``book``), then the fold
- ``bench``: what the rules say becomes findings
- ``crossing``: what only the whole input shows (``salts``); ``disclosing``: disclosures against all inputs
"""
