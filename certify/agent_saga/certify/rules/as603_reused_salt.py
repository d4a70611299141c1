"""AS603 reused-salt."""

from agent_saga.certify.rule import Rule

RULE = Rule(
    code="AS603",
    name="reused-salt",
    what=("Two lines have the same salt, a concealed value's digest stands twice, or two disclosures share a salt."),
    why=(
        "Salts keep hashes from being guessed. One that is used twice lets whoever knows one line "
        "test guesses about the other."
    ),
    bad='"salt":"Zk9mQ2hXb0pRc1R2VXd4eQ" on two lines',
    good="a salt of its own on each line",
    fix=(
        "Draw every salt from the operating system's random generator; look for a copied virtual "
        "machine or a fixed seed."
    ),
)
