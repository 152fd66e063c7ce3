#!/usr/bin/env bash
# ci-sandbox.sh [LISTEN [OPERATOR-LISTEN]]: starts a sandbox in the background of a CI job and waits until it is ready.
# causeway and curl must be on the PATH. The log of the sandbox is causeway.log in TMPDIR.
set -euo pipefail
listen=${1:-127.0.0.1:8080}
operator=${2:-127.0.0.1:9099}
log=${TMPDIR:-/tmp}/causeway.log
ready() { curl --silent --fail --output /dev/null "http://$operator/readyz"; }

if ready; then
	echo "ci-sandbox.sh: another process already serves $operator" >&2
	exit 1
fi
nohup causeway serve --listen "$listen" --operator-listen "$operator" >"$log" 2>&1 </dev/null &
sandbox=$!
for _ in $(seq 300); do
	kill -0 "$sandbox" 2>/dev/null || break
	if ready; then
		echo "causeway serves http://$listen: process $sandbox, log $log"
		exit
	fi
	sleep 0.2
done
echo "ci-sandbox.sh: the sandbox is not ready" >&2
cat "$log" >&2
kill "$sandbox" 2>/dev/null || true
exit 1
