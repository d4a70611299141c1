// Generated from agent_saga.trace.events by tests/proofs/page/make_page.py: line types and their members.
// A member is [name, kind]: "name?" may be absent, "name+" may be absent and is never empty. A kind is one of KINDS or
// PARTS; Kind[] is an array, Name>Kind a map. The order is the order on the line.

export const LOG_SAGA = "log";

export const GENESIS = "0000000000000000000000000000000000000000000000000000000000000000";

export const MAX_LINE = 262144;

export const LOG_TYPES = ["keys.enrolled", "keys.revoked", "log.indexed", "log.opened", "policy.adopted"];

export const COMMON = [["v", "1"], ["saga", "SagaId"], ["seq", "Seq"], ["prev", "Digest"], ["at", "Instant"], ["type", "Name"], ["by", "Speaker"]];

export const TYPES = {
  "saga.started": [["log", "Text"], ["name", "Text"], ["format", "FormatName"], ["tools", "ToolName>ToolSpec"], ["policy?", "Digest"], ["keys?", "Digest"], ["spec?", "Digest"], ["goal?", "Json"], ["agent?", "Text"], ["parent?", "EffectRef"], ["pivot?", "Id"]],
  "step.proposed": [["step", "Id"], ["tool", "ToolName"], ["args", "JsonObject"], ["allowed", "ToolName[]"], ["driver", "Text"], ["options?", "Option[]"], ["choice?", "Id"], ["confidence?", "Decimal"], ["why?", "Json"]],
  "step.refused": [["step", "Id"], ["code", "Text"], ["reason", "Json"], ["rule?", "Text"]],
  "approval.requested": [["step", "Id"], ["action", "Digest"], ["rule", "Text"], ["quorum", "Count"], ["roles", "Text[]"], ["strength", "A|B|C|D"], ["not_after", "Instant"]],
  "approval.recorded": [["step", "Id"], ["action", "Digest"], ["decision", "Decision"], ["person", "Text"], ["proof", "JsonObject"]],
  "effect.intended": [["effect", "Id"], ["step", "Id"], ["tool", "ToolName"], ["semantics", "Semantics"], ["args", "JsonObject"], ["key", "Key"], ["attempt", "Count"], ["action?", "Digest"], ["approvals+", "Digest[]"], ["amount?", "Amount"], ["resource?", "Json"], ["after?", "Id[]"], ["branch?", "OptionPath"], ["fallback_of?", "Id"], ["reads+", "EffectRef[]"]],
  "effect.succeeded": [["effect", "Id"], ["attempt", "Count"], ["result", "Json"], ["undo?", "UndoCall"]],
  "effect.failed": [["effect", "Id"], ["attempt", "Count"], ["error", "Json"]],
  "effect.unknown": [["effect", "Id"], ["attempt", "Count"], ["error", "Json"], ["undo?", "UndoCall"]],
  "effect.reconciled": [["effect", "Id"], ["found", "Found"], ["result?", "Json"], ["undo?", "UndoCall"]],
  "undo.intended": [["undo", "Id"], ["effect", "Id"], ["tool", "ToolName"], ["args", "JsonObject"], ["key", "Key"], ["attempt", "Count"], ["amount?", "Amount"]],
  "undo.succeeded": [["undo", "Id"], ["attempt", "Count"], ["result", "Json"]],
  "undo.failed": [["undo", "Id"], ["attempt", "Count"], ["error", "Json"]],
  "undo.unknown": [["undo", "Id"], ["attempt", "Count"], ["error", "Json"]],
  "undo.reconciled": [["undo", "Id"], ["found", "Found"], ["result?", "Json"]],
  "check.evaluated": [["check", "Id"], ["passed", "Boolean"], ["evidence", "Json"]],
  "rollback.started": [["cause", "Json"]],
  "branch.chosen": [["branch", "BranchPath"], ["winner", "OptionName"]],
  "saga.halted": [["reason", "Json"]],
  "saga.escalated": [["reason", "Json"]],
  "saga.paused": [["reason", "Json"], ["waiting", "Id[]"]],
  "person.decided": [["target", "Id"], ["verdict", "Verdict"], ["reason", "Json"], ["person", "Text"], ["proof", "JsonObject"]],
  "saga.ended": [["status", "Status"], ["held", "Id[]"]],
  "log.opened": [["origin", "Text"], ["vkey", "Text"], ["keys", "JsonObject"], ["policy?", "Digest"]],
  "log.indexed": [["size", "Count"], ["root", "Digest"], ["keys", "DigestAt"], ["policy?", "DigestAt"]],
  "keys.enrolled": [["registry", "JsonObject"], ["proof", "JsonObject"]],
  "keys.revoked": [["key_id", "Text"], ["proof", "JsonObject"], ["compromised_since?", "Instant"]],
  "policy.adopted": [["policy", "Digest"], ["proof", "JsonObject"]],
};

export const PARTS = {
  "ToolSpec": [["version", "Text"], ["semantics", "Semantics"], ["undo?", "ToolName"], ["amount_from?", "Pointer"], ["resource_from?", "Pointer"], ["schema?", "Digest"]],
  "EffectRef": [["saga", "SagaId"], ["effect", "Id"]],
  "Option": [["id", "Id"], ["tool", "ToolName"], ["args", "JsonObject"], ["p", "Decimal"]],
  "UndoCall": [["tool", "ToolName"], ["args", "JsonObject"], ["amount?", "Amount"]],
  "DigestAt": [["digest", "Digest"], ["index", "Seq"]],
};

export const KINDS = {
  "1": {"one": [1]},
  "Amount": {"payload": "amount"},
  "A|B|C|D": {"one": ["A", "B", "C", "D"]},
  "Boolean": {"one": [true, false]},
  "BranchPath": {"text": "[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*", "says": "GROUP, or GROUP.OPTION.GROUP when nested"},
  "Count": {"whole": [1, 9007199254740991]},
  "Decimal": {"text": "0(?:\\.[0-9]{1,18})?|1(?:\\.0{1,18})?", "says": "a decimal from 0 to 1 as a string, such as 0.85"},
  "Decision": {"one": ["approve", "deny", "break_glass"]},
  "Digest": {"text": "[0-9a-f]{64}", "says": "64 lower-case hex digits (SHA-256)"},
  "FormatName": {"text": "[1-9][0-9]{0,3}\\.(?:0|[1-9][0-9]{0,3})", "says": "MAJOR.MINOR, such as 1.0"},
  "Found": {"one": ["landed", "absent", "unresolved"]},
  "Id": {"text": "[A-Za-z0-9._-]{1,64}", "says": "1-64 of A-Z a-z 0-9 . _ -"},
  "Instant": {"text": "(?:[1-9][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{6}Z", "says": "RFC 3339 UTC with six decimals and Z, such as 2026-11-30T07:00:00.000000Z, on a day that exists"},
  "Json": {"payload": "any"},
  "JsonObject": {"payload": "object"},
  "Key": {"text": "[\\x20-\\x7e]{1,128}", "says": "1-128 printable ASCII characters"},
  "Name": {"text": "[^\\x00]{1,32}", "says": "the name of a type"},
  "OptionName": {"text": "[A-Za-z0-9_-]{1,64}", "says": "1-64 of A-Z a-z 0-9 _ -"},
  "OptionPath": {"text": "[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)+", "says": "GROUP.OPTION, longer when nested"},
  "Pointer": {"text": "(?:/(?:[^/~]|~[01])*)*", "says": "a JSON Pointer into args (RFC 6901)"},
  "SagaId": {"text": "[A-Za-z0-9._:-]{1,128}", "says": "1-128 of A-Z a-z 0-9 . _ : -"},
  "Salt": {"text": "[A-Za-z0-9_-]{21}[AQgw]", "says": "22 base64url characters (128 bits, unpadded, canonical)"},
  "Semantics": {"one": ["preview", "reversible", "compensable", "irreversible"]},
  "Seq": {"whole": [0, 9007199254740991]},
  "Speaker": {"text": "runtime|(?:agent|person|tool):[^\\x00-\\x1f\\x7f-\\x9f]{1,128}", "says": "runtime, agent:ID, person:ID or tool:NAME"},
  "Status": {"text": "succeeded_verified|compensated_verified|aborted_clean|closed_with_exceptions", "says": "succeeded_verified, compensated_verified, aborted_clean or closed_with_exceptions"},
  "Text": {"text": "[^\\x00]{0,4096}", "says": "at most 4096 characters, none of them U+0000"},
  "ToolName": {"text": "[^\\x00-\\x1f\\x7f-\\x9f]{1,128}", "says": "1-128 characters, none of them a control character"},
  "Verdict": {"one": ["landed", "absent", "undone", "kept"]},
};
