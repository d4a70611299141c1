"""Policies with one thing wrong, and every message that it must get: the example of the design with one text replaced.

Each entry: what is wrong, the text of the example that is replaced, by what, and the faults as ``line:column: words``.
"""

from __future__ import annotations

BAD: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "an unknown member",
        "owner: risk",
        "ower: risk",
        (
            "1:1: the policy lacks 'owner'",
            "3:1: unknown member 'ower'; did you mean 'owner'?",
        ),
    ),
    (
        "a member is missing",
        "version: 7\n",
        "",
        ("1:1: the policy lacks 'version'",),
    ),
    (
        "text where a number belongs",
        "version: 7",
        'version: "7"',
        ("2:10: version: found '7'; expected a whole number",),
    ),
    (
        "a version of nothing",
        "version: 7",
        "version: 0",
        ("2:10: version: found 0; expected at least 1",),
    ),
    (
        "a version with a fraction",
        "version: 7",
        "version: 7.5",
        ("2:10: version: found 7.5; expected a whole number",),
    ),
    (
        "an integer beyond int64",
        "max: 5000000",
        "max: 9223372036854775808",
        ("23:10: an integer of too many digits; write it as text in quotes",),
    ),
    (
        "an integer of a thousand digits",
        "max: 5000000",
        "max: 1" + "0" * 1000,
        ("23:10: an integer of too many digits; write it as text in quotes",),
    ),
    (
        "NaN",
        "max: 5000000",
        "max: .nan",
        ("23:10: .nan is a number with a fraction; write a whole number, or text in quotes",),
    ),
    (
        "infinity",
        "max: 5000000",
        "max: .inf",
        ("23:10: .inf is a number with a fraction; write a whole number, or text in quotes",),
    ),
    (
        "a negative bound",
        "max: 5000000",
        "max: -1",
        ("23:10: limits[0].max: found -1; expected at least 0",),
    ),
    (
        "nothing",
        "max: 5000000",
        "max:",
        ("23:9: limits[0].max: found nothing; expected a whole number",),
    ),
    (
        "yes for a number",
        "max: 5000000",
        "max: yes",
        ("23:10: limits[0].max: found 'yes'; expected a whole number",),
    ),
    (
        "an alias",
        "per: [args.customer, args.amount.currency]",
        "per: *keys",
        ("21:10: the alias *keys; write out what it stands for",),
    ),
    (
        "an anchor",
        "per: [args.customer",
        "per: &keys [args.customer",
        ("21:10: the anchor &keys; leave it out",),
    ),
    (
        "a tag",
        'when: tool == "payments.wire"',
        'when: !!str tool == "payments.wire"',
        ("11:11: the tag tag:yaml.org,2002:str; leave it out",),
    ),
    (
        "a merge key",
        "  - id: wire-needs-two",
        "  - <<: {why: x}\n    id: wire-needs-two",
        ("9:5: the merge key <<; write out what it merges",),
    ),
    (
        "a name twice",
        "    then: deny",
        "    then: deny\n    then: allow",
        ("17:5: 'then' stands twice; it stood on line 16 already",),
    ),
    (
        "a tab",
        "    then: deny",
        "\tthen: deny",
        ("16:1: a tab; indent with spaces",),
    ),
    (
        "a byte order mark",
        "policy: payments",
        "\ufeffpolicy: payments",
        ("1:1: the character U+FEFF does not show; leave it out",),
    ),
    (
        "a hidden character",
        "why: Wires cannot",
        "why: Wires \u202ecannot",
        ("10:16: the character U+202E does not show; leave it out",),
    ),
    (
        "a second document",
        "tests:",
        "---\ntests:",
        ("25:1: a second document; a file holds a policy alone",),
    ),
    (
        "a directive",
        "policy: payments",
        "%YAML 1.2\n---\npolicy: payments",
        ("1:1: a directive (%YAML, %TAG); leave it out",),
    ),
    (
        "no YAML",
        "  - id: dose-range",
        "  - id: dose: range",
        ("14:13: not YAML: mapping values are not allowed here",),
    ),
    (
        "an unknown class",
        "semantics: compensable",
        "semantics: compensible",
        (
            (
                "5:34: tools.payments.charge.semantics: found 'compensible'; expected one of preview, reversible"
                ", compensable, irreversible; did you mean 'compensable'?"
            ),
        ),
    ),
    (
        "no undo",
        "semantics: compensable, undo: payments.refund,",
        "semantics: compensable,",
        ("5:3: the tool 'payments.charge' is compensable and names no undo; add undo: TOOL",),
    ),
    (
        "an undo of what cannot be undone",
        "payments.wire:     {semantics: irreversible,",
        "payments.wire:     {semantics: irreversible, undo: payments.unwire,",
        (("6:54: the tool 'payments.wire' is irreversible and has an undo; leave it out, or change its semantics"),),
    ),
    (
        "an undo of itself",
        "undo: payments.refund",
        "undo: payments.charge",
        ("5:53: the tool 'payments.charge' undoes itself; name the tool that does",),
    ),
    (
        "no name of a tool",
        "  payments.wire:",
        "  payments wire:",
        (
            "6:3: tools: found 'payments wire'; expected the name of a tool: 1-128 of A-Z a-z 0-9 . _ : -",
            "11:19: the policy has no tool 'payments.wire'; did you mean 'payments wire'?",
            "27:19: the policy has no tool 'payments.wire'; did you mean 'payments wire'?",
            "30:19: the policy has no tool 'payments.wire'; did you mean 'payments wire'?",
        ),
    ),
    (
        "a schema out of the folder",
        "args: schemas/wire.json",
        "args: ../schemas/wire.json",
        (
            (
                "6:54: the schema of payments.wire: '../schemas/wire.json' leaves the policy's folder; expected "
                "a path in it or below"
            ),
        ),
    ),
    (
        "a schema at an absolute path",
        "args: schemas/wire.json",
        "args: /etc/passwd",
        (
            (
                "6:54: the schema of payments.wire: '/etc/passwd' leaves the policy's folder; expected a path in"
                " it or below"
            ),
        ),
    ),
    (
        "no such schema",
        "args: schemas/wire.json",
        "args: schemas/wyre.json",
        (("6:54: the schema of payments.wire: schemas/wyre.json:1:1: cannot be read: No such file or directory"),),
    ),
    (
        "a schema that is none",
        "args: schemas/wire.json",
        "args: {type: objekt}",
        (
            (
                "6:54: the schema of payments.wire: no JSON Schema: $.type: 'objekt' is not valid under any of t"
                "he given schemas"
            ),
        ),
    ),
    (
        "a schema of no object",
        "args: schemas/wire.json",
        "args: {type: string}",
        (
            (
                "6:54: the schema of payments.wire: the arguments of a tool are an object; expected type: object"
                " with properties"
            ),
        ),
    ),
    (
        "a schema from elsewhere",
        "args: schemas/wire.json",
        'args: {type: object, properties: {amount: {$ref: "https://x.example/s"}}}',
        (
            (
                "6:54: the schema of payments.wire: refers to 'https://x.example/s'; expected references inside "
                "of it: #/$defs/NAME"
            ),
        ),
    ),
    (
        "a tool without a schema",
        ", args: schemas/wire.json",
        "",
        ("11:38: the tool 'payments.wire' gives no schema of its arguments; add args: to it",),
    ),
    (
        "an argument of two types",
        "args: schemas/prescribe.json",
        "args: {type: object, properties: {dose_ug: {type: [integer, string]}}, required: [dose_ug]}",
        (
            "15:45: args.dose_ug cannot be used: its schema allows several types: integer, string",
            "15:68: args.dose_ug cannot be used: its schema allows several types: integer, string",
        ),
    ),
    (
        "an argument without a type",
        "args: schemas/prescribe.json",
        "args: {type: object, properties: {dose_ug: {}}, required: [dose_ug]}",
        (
            "15:45: args.dose_ug cannot be used: its schema says nothing of its type",
            "15:68: args.dose_ug cannot be used: its schema says nothing of its type",
        ),
    ),
    (
        "an argument that may be missing",
        "args: schemas/prescribe.json",
        "args: {type: object, properties: {dose_ug: {type: integer}}}",
        (
            "15:45: `args.dose_ug` may be missing; put has(args.dose_ug) && before it",
            "15:68: `args.dose_ug` may be missing; put has(args.dose_ug) && before it",
        ),
    ),
    (
        "an argument that may be null",
        "args: schemas/prescribe.json",
        'args: {type: object, properties: {dose_ug: {type: [integer, "null"]}}, required: [dose_ug]}',
        (
            "15:45: `args.dose_ug` may be missing; put has(args.dose_ug) && before it",
            "15:68: `args.dose_ug` may be missing; put has(args.dose_ug) && before it",
        ),
    ),
    (
        "an unknown tool in a condition",
        'when: tool == "payments.wire"',
        'when: tool == "payments.wyre"',
        ("11:19: the policy has no tool 'payments.wyre'; did you mean 'payments.wire'?",),
    ),
    (
        "an unknown tool in a list",
        'when: tool == "payments.wire"',
        'when: tool in ["payments.wire", "payments.wyre"]',
        ("11:37: the policy has no tool 'payments.wyre'; did you mean 'payments.wire'?",),
    ),
    (
        "an unknown class in a condition",
        'when: tool == "payments.wire"',
        'when: semantics == "ireversible" && tool == "payments.wire"',
        ("11:24: semantics is never 'ireversible'; did you mean 'irreversible'?",),
    ),
    (
        "an unknown argument",
        "args.amount.minor > 500000",
        "args.amuont.minor > 500000",
        ("11:38: the field `amuont` of `args` does not exist; did you mean `amount`?",),
    ),
    (
        "an unknown variable",
        "args.amount.minor > 500000",
        "arg.amount.minor > 500000",
        ("11:38: there is no variable `arg`; did you mean `args`?",),
    ),
    (
        "an unknown function",
        "args.amount.minor > 500000",
        "sizee(args.note) > 5",
        ("11:38: there is no function `sizee`; did you mean `size`?",),
    ),
    (
        "a function of CEL that is left out",
        "args.amount.minor > 500000",
        'args.note.matches("a+")',
        (
            (
                "11:38: `matches` of CEL is left out here: there are no regular expressions; see startsWith, end"
                "sWith and contains"
            ),
        ),
    ),
    (
        "text compared with a number",
        "args.amount.minor > 500000",
        'args.amount.minor > "500000"',
        ("11:38: `>` is not for (int, string); write int(...) or string(...)",),
    ),
    (
        "a fraction beside money",
        "args.amount.minor > 500000",
        "args.amount.minor > 5000.0",
        ("11:58: 5000.0 beside money; money is counted in whole minor units, such as 500000",),
    ),
    (
        "no condition",
        "args.amount.minor > 500000",
        "args.amount.minor",
        ("11:38: `&&` is for bools; `args.amount.minor` is of type int",),
    ),
    (
        "a number for a condition",
        'tool == "payments.wire" && args.amount.minor > 500000',
        "1 + 1",
        ("11:11: a condition is of type int; expected bool",),
    ),
    (
        "half a condition",
        "args.amount.minor > 500000",
        "args.amount.minor >",
        ("11:57: expected a value, found the end",),
    ),
    (
        "an open bracket",
        "args.amount.minor > 500000",
        "(args.amount.minor > 500000",
        ("11:65: expected `)` to close the bracket, found the end",),
    ),
    (
        "a loop",
        "args.amount.minor > 500000",
        "[1].all(x, x > 0)",
        ("11:38: `all` of CEL is left out here: there are no loops",),
    ),
    (
        "an answer that is none",
        "then: deny",
        "then: denny",
        (("16:11: rules[1].then: found 'denny'; expected deny, allow, or {approve: {...}}; did you mean 'deny'?"),),
    ),
    (
        "an approval of nobody",
        "roles: [treasury]",
        "roles: []",
        ("12:40: rules[0].then.approve.roles: found a list; expected at least 1 of them",),
    ),
    (
        "a role twice",
        "roles: [treasury]",
        "roles: [treasury, treasury]",
        ("12:51: the role 'treasury' stands twice; it stood on line 12 already",),
    ),
    (
        "a quorum of nobody",
        "quorum: 2, roles",
        "quorum: 0, roles",
        ("12:30: rules[0].then.approve.quorum: found 0; expected at least 1",),
    ),
    (
        "an unknown strength",
        "strength: A",
        "strength: E",
        ("12:62: rules[0].then.approve.strength: found 'E'; expected one of A, B, C, D",),
    ),
    (
        "a duration that is none",
        "within: PT15M",
        "within: 15m",
        (
            (
                "12:73: rules[0].then.approve.within: found '15m'; expected an ISO 8601 duration such as PT15M, "
                "PT24H or P1D"
            ),
        ),
    ),
    (
        "a duration of months",
        "window: PT24H",
        "window: P1M",
        ("22:13: limits[0].window: found 'P1M'; expected an ISO 8601 duration such as PT15M, PT24H or P1D",),
    ),
    (
        "a duration of nothing",
        "window: PT24H",
        "window: PT0S",
        ("22:13: found 'PT0S'; expected a duration above nothing and of at most 366 days",),
    ),
    (
        "an endless duration",
        "window: PT24H",
        "window: P9999D",
        ("22:13: found 'P9999D'; expected a duration above nothing and of at most 366 days",),
    ),
    (
        "an unknown enforcement",
        "enforcement: hard",
        "enforcement: hrad",
        (
            (
                "13:18: rules[0].enforcement: found 'hrad'; expected one of advisory, soft, hard, evaluate; did "
                "you mean 'hard'?"
            ),
        ),
    ),
    (
        "an id twice",
        "id: dose-range",
        "id: wire-needs-two",
        (
            "14:9: the id 'wire-needs-two' stands twice; it stood on line 9 already",
            "36:13: no rule or limit 'dose-range'",
        ),
    ),
    (
        "an id of a rule for a limit",
        "id: daily-spend",
        "id: dose-range",
        (
            "18:9: the id 'dose-range' stands twice; it stood on line 14 already",
            "45:13: no limit 'daily-spend'",
            "49:13: no limit 'daily-spend'",
            "51:13: no rule or limit 'daily-spend'",
        ),
    ),
    (
        "money of several currencies",
        "per: [args.customer, args.amount.currency]",
        "per: [args.customer]",
        (
            (
                "19:10: args.amount.minor may be of several currencies; add args.amount.currency to per, or name"
                " one currency in of"
            ),
        ),
    ),
    (
        "a sum of no number",
        "sum: args.amount.minor",
        "sum: args.customer",
        ("19:10: a sum is of type string; expected int",),
    ),
    (
        "a sum of fractions",
        "args: schemas/charge.json",
        (
            "args: {type: object, required: [customer, amount], properties: {customer: {type: string}, amoun"
            "t: {type: object, required: [minor, currency], properties: {minor: {type: number}, currency: {t"
            "ype: string}}}}}"
        ),
        (
            (
                "5:76: the schema of payments.charge: args.amount.minor is a number; money is counted in whole m"
                "inor units: give it the type integer"
            ),
        ),
    ),
    (
        "a key that is no scalar",
        "per: [args.customer, args.amount.currency]",
        "per: [args.customer, args.amount, args.amount.currency]",
        ("21:26: a key of per is of type object; expected string or int or bool",),
    ),
    (
        "a test of an unknown tool",
        "given: {tool: pharmacy.prescribe, args: {dose_ug: 100}}",
        "given: {tool: pharmacy.prescribed, args: {dose_ug: 100}}",
        ("41:19: the policy has no tool 'pharmacy.prescribed'; did you mean 'pharmacy.prescribe'?",),
    ),
    (
        "a test with a wrong argument",
        "args: {dose_ug: 100}",
        'args: {dose_ug: "100"}',
        ("41:55: dose_ug: found '100'; expected a whole number",),
    ),
    (
        "a test with an unknown argument",
        "args: {dose_ug: 100}",
        "args: {dose_ug: 100, dose: 1}",
        ("41:60: unknown member 'dose'; did you mean 'dose_ug'?",),
    ),
    (
        "a test of an unknown limit",
        "spent: {daily-spend: 4999900}\n    expect: allow",
        "spent: {daily-spent: 4999900}\n    expect: allow",
        ("45:13: no limit 'daily-spent'; did you mean 'daily-spend'?",),
    ),
    (
        "a test of an unknown rule",
        "rules: [dose-range]",
        "rules: [dose-rage]",
        ("36:13: no rule or limit 'dose-rage'; did you mean 'dose-range'?",),
    ),
    (
        "a test at no time",
        "given: {tool: pharmacy.prescribe, args: {dose_ug: 100}}",
        "given: {tool: pharmacy.prescribe, at: 2026-02-30T00:00:00Z, args: {dose_ug: 100}}",
        (("41:43: found '2026-02-30T00:00:00Z'; expected a time in UTC, such as 2026-11-30T07:00:00Z, that exists"),),
    ),
    (
        "a test with a fraction",
        "args: {dose_ug: 100}",
        "args: {dose_ug: 100.5}",
        ("41:55: 100.5 is a number with a fraction; write a whole number, or text in quotes",),
    ),
    (
        "a name of a test twice",
        "name: a dose above the range",
        "name: a dose below the range",
        ("37:11: the test 'a dose below the range' stands twice; it stood on line 33 already",),
    ),
    (
        "a list for an object",
        "given: {tool: payments.wire, args: {amount: {minor: 600000, currency: EUR}}}",
        "given: [payments.wire]",
        ("27:12: tests[0].given: found a list; expected an object",),
    ),
    (
        "no tools",
        (
            "tools:\n  payments.charge:   {semantics: compensable, undo: payments.refund, args: schemas/charg"
            "e.json}\n  payments.wire:     {semantics: irreversible, args: schemas/wire.json}\n  pharmacy.pres"
            "cribe: {semantics: irreversible, args: schemas/prescribe.json}\n"
        ),
        "tools: {}\n",
        (
            "4:8: tools: found an object; expected at least 1 of them",
            "24:19: the policy has no tool 'payments.wire'",
            "27:19: the policy has no tool 'payments.wire'",
            "38:19: the policy has no tool 'pharmacy.prescribe'",
            "41:19: the policy has no tool 'payments.charge'",
            "45:19: the policy has no tool 'payments.charge'",
        ),
    ),
    (
        "nested brackets beyond CEL's bound",
        "args.amount.minor > 500000",
        "(" * 5000 + "true" + ")" * 5000,
        ("11:11: the condition has 10,031 characters; at most 10,000 are read",),
    ),
    (
        "a condition of megabytes",
        "args.amount.minor > 500000",
        "args.amount.minor > 1" + " || true" * 2000,
        ("11:11: the condition has 16,048 characters; at most 10,000 are read",),
    ),
    (
        "an agent that there is not",
        "owner: risk@example.com",
        "owner: risk@example.com\nagents: [buyer]\nirreversible: {quorum: 1, within: 1H}",
        (("5:35: irreversible.within: found '1H'; expected an ISO 8601 duration such as PT15M, PT24H or P1D"),),
    ),
    (
        "a schema that refers to itself",
        "args: schemas/prescribe.json",
        (
            'args: {type: object, required: [dose_ug], properties: {dose_ug: {$ref: "#/$defs/a"}}, $defs: {a'
            ': {$ref: "#/$defs/a"}}}'
        ),
        (
            ("15:45: args.dose_ug cannot be used: its schema refers to itself (#/$defs/a), so that it has no end"),
            ("15:68: args.dose_ug cannot be used: its schema refers to itself (#/$defs/a), so that it has no end"),
            "41:45: the call of pharmacy.prescribe: the schema of its arguments has no end",
        ),
    ),
    (
        "an undeclared member of a test",
        "expect: {approve: {quorum: 1}}\n    rules",
        "expect: {approve: {qourum: 1}}\n    rules",
        ("31:24: unknown member 'qourum'; did you mean 'quorum'?",),
    ),
    (
        "nesting without an end",
        "args: schemas/wire.json",
        "args: " + "[" * 40 + "]" * 40,
        ("6:83: nested deeper than 32",),
    ),
    (
        "a condition that does not say which tool it is about",
        'when: tool == "pharmacy.prescribe" && !(args.dose_ug >= 100',
        "when: (args.dose_ug >= 100",
        (
            (
                "15:12: the field `dose_ug` of `args` does not exist; there is amount, customer (for payments.charge"
                '; if it is about pharmacy.prescribe, put tool == "pharmacy.prescribe" && before it)'
            ),
            (
                "15:12: the field `dose_ug` of `args` does not exist; there is amount, note (for payments.wire"
                '; if it is about pharmacy.prescribe, put tool == "pharmacy.prescribe" && before it)'
            ),
            (
                "15:35: the field `dose_ug` of `args` does not exist; there is amount, customer (for payments.charge"
                '; if it is about pharmacy.prescribe, put tool == "pharmacy.prescribe" && before it)'
            ),
            (
                "15:35: the field `dose_ug` of `args` does not exist; there is amount, note (for payments.wire"
                '; if it is about pharmacy.prescribe, put tool == "pharmacy.prescribe" && before it)'
            ),
        ),
    ),
)
