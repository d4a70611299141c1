"""A first policy to start from: commented, and it checks and tests green as it stands."""

import json
from typing import Final

_TEXT: Final = """\
# A policy: what agents may do. `agent-saga policy check FILE` finds mistakes, `agent-saga policy test FILE` runs tests.
# Every number here is an example. docs/spec/policy-v1.md names every member.
policy: {name}
version: 1                # raise it with every change that you sign
owner: {owner}

# Every tool that may be called; any other is refused. Classes, from mild to severe: preview (changes nothing),
# reversible, compensable (another call makes up for it), irreversible (needs a person's approval).
tools:
  payments.charge:
    semantics: compensable
    undo: payments.refund
    consequence: medium   # low, medium, high or critical
    args:                 # JSON Schema of the arguments, or the path of a file: conditions are checked against it
      type: object
      properties:
        customer: {{type: string}}
        amount:
          type: object
          properties:
            minor: {{type: integer}}       # money is counted in whole minor units
            currency: {{type: string}}
          required: [minor, currency]
        note: {{type: string}}
      required: [customer, amount]
  mail.send:
    semantics: irreversible
    args:
      type: object
      properties:
        to: {{type: string}}
      required: [to]

# What a call that cannot be undone needs where no rule asks for more.
irreversible: {{quorum: 1, roles: [approver], within: PT15M}}

# Conditions are written in a subset of CEL. An argument that may be missing needs has() first.
rules:
  - id: large-charge
    why: Above this sum a second pair of eyes is worth the wait.
    when: tool == "payments.charge" && args.amount.minor > 50000
    then: {{approve: {{quorum: 1, roles: [approver], strength: D, within: PT1H}}}}
    enforcement: hard     # advisory, soft (a signed waiver may lift it), hard, evaluate (on trial)
  - id: mail-at-home
    why: Mail goes to our own people only.
    when: tool == "mail.send" && !args.to.endsWith("@example.com")
    then: deny

# Bounds over a sliding window, counted for each value of `per` by itself. What was undone still counts.
limits:
  - id: daily-charges
    why: No customer is charged more than this in a day.
    sum: args.amount.minor
    of: tool == "payments.charge"
    per: [args.customer, args.amount.currency]
    window: PT24H
    max: 200000
    then: deny

# Each test is a call and the answer that it must get. `agent-saga policy test --min-coverage 100` holds you to them.
tests:
  - name: a small charge goes through
    given: {{tool: payments.charge, args: {{customer: c_1, amount: {{minor: 50000, currency: EUR}}}}}}
    expect: allow
  - name: a large charge needs a person
    given: {{tool: payments.charge, args: {{customer: c_1, amount: {{minor: 50001, currency: EUR}}}}}}
    expect: {{approve: {{quorum: 1, roles: [approver]}}}}
    rules: [large-charge]
  - name: the last charge of the day
    given: {{tool: payments.charge, args: {{customer: c_1, amount: {{minor: 1000, currency: EUR}}}}}}
    spent: {{daily-charges: 199000}}
    expect: allow
  - name: one cent too many
    given: {{tool: payments.charge, args: {{customer: c_1, amount: {{minor: 1001, currency: EUR}}}}}}
    spent: {{daily-charges: 199000}}
    expect: deny
    rules: [daily-charges]
  - name: mail to our own people needs an approval, as it cannot be taken back
    given: {{tool: mail.send, args: {{to: ana@example.com}}}}
    expect: {{approve: {{quorum: 1}}}}
  - name: mail to anybody else
    given: {{tool: mail.send, args: {{to: ana@example.org}}}}
    expect: deny
    rules: [mail-at-home]
"""


def starter(name: str, owner: str) -> str:
    """The text of a first policy. name: of the form of a policy's name. owner: who answers for it."""
    return _TEXT.format(name=json.dumps(name), owner=json.dumps(owner, ensure_ascii=False))
