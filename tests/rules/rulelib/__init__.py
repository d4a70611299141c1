"""Small traces, each with one fault, and the nearest trace without it. Shares no code with the certifier."""
