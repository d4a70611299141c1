"""The control map and its answers: which published controls a verdict provides evidence for.

It never says that anybody complies with anything: a control is far more than what a trace shows, and each entry says
what it does not cover. The map is in ``frameworks/``, one file a framework; :mod:`.reading` reads it, :mod:`.assessing`
answers, :mod:`.results` is the answer.

Source: docs/controls.md.
"""
