// Foreign verifies what agent-saga publishes with code of others: golang.org/x/mod/sumdb/note and tlog.
//
//	foreign vectors FILE...                  answers vectors of fixtures/vectors, one JSON object for all
//	foreign verify-bundle FILE VKEY ORIGIN   the note, the chain, the shared paths and the index entries of a bundle
//
// An answer is {"ok": true, ...} or {"reason": WORD}, the words of docs/spec/log-v1.md. Nothing is accepted that the
// packages of others refuse; what they leave open (one spelling, caps) is checked here, from the specification alone.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// An answer is what a vector or a bundle comes to.
type answer map[string]any

// A refusal is evidence that does not prove what it claims.
type refusal struct{ reason, message string }

func (r *refusal) Error() string { return r.reason + ": " + r.message }

func refuse(reason, format string, values ...any) error {
	return &refusal{reason, fmt.Sprintf(format, values...)}
}

// settle turns what came of a check into its answer; an error that is no refusal is a fault of the input's form.
func settle(more answer, err error) answer {
	if refused, is := err.(*refusal); is {
		return answer{"reason": refused.reason}
	}
	if err != nil {
		return answer{"fault": err.Error()}
	}
	found := answer{"ok": true}
	for name, value := range more {
		found[name] = value
	}
	return found
}

func main() {
	switch arguments := os.Args[1:]; {
	case len(arguments) > 1 && arguments[0] == "vectors":
		answers := map[string]answer{}
		for _, path := range arguments[1:] {
			answers[path] = settle(answerVector(path))
		}
		tell(answers)
	case len(arguments) == 4 && arguments[0] == "verify-bundle":
		found, err := verifyBundle(arguments[1], arguments[2], arguments[3])
		tell(settle(found, err))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: foreign vectors FILE... | foreign verify-bundle FILE VKEY ORIGIN")
		os.Exit(2)
	}
}

func tell(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
