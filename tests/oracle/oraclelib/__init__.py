"""An independent judge for small sagas, and the sagas it is asked about.

It is written from docs/rules.md ("An effect, formally") and shares no code with the certifier: no state is
kept, every question reads all lines again. It is slow and short, so that a reader can see that it is right.
"""
