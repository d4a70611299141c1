#!/bin/sh
# Lets a deployment go on only when the agent's log is certified: `sh examples/gate.sh [LOG]`.
log=${1:-fixtures/demo/good.jsonl}

agent-saga certify "$log"
case $? in
  0) echo "gate: open" ;;
  1) echo "gate: closed, the log is not certified" >&2; exit 1 ;;
  3) echo "gate: closed, a person has to decide" >&2; exit 1 ;;
  *) echo "gate: closed, nothing was judged" >&2; exit 1 ;;
esac
