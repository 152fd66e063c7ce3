#!/usr/bin/env bash
# check-helm.sh: checks the Helm chart. `make helm-check` runs it; the first run compiles helm. It needs the Debian
# packages jq and yamllint.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chart=config/deploy/chart
step() { printf '== %s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

step "helm"
GOBIN=$work go install helm.sh/helm/v3/cmd/helm@v3.22.0
render() { "$work/helm" template causeway "$chart" --kube-version 1.31.0 "$@"; }

# The ports that the guide says pods may reach and serve.
mapfile -t reached < <(sed -n '/^## Kubernetes/,/^## Binaries/s/^| \([0-9]*\) | reached .*/\1/p' docs/install.md)
mapfile -t served < <(sed -n '/^## Kubernetes/,/^## Binaries/s/^| \([0-9]*\) | served .*/\1/p' docs/install.md)
if [ ${#reached[@]} -lt 4 ] || [ ${#served[@]} -lt 2 ]; then fail "docs/install.md lists no ports"; fi

for values in "$chart"/values.yaml "$chart"/ci/*.yaml "$chart"/examples/*.yaml; do
	step "$values"
	"$work/helm" lint --quiet --strict --values "$values" "$chart"
	render --values "$values" >"$work/chart.yaml"
	yamllint --strict -d '{extends: relaxed, rules: {line-length: disable, indentation: disable, trailing-spaces: disable}}' \
		"$work/chart.yaml"
	grep -q '^kind: NetworkPolicy' "$work/chart.yaml" || continue
	sed -n '/^kind: NetworkPolicy/,/^---/p' "$work/chart.yaml" >"$work/policy.yaml"
	for port in "${reached[@]}"; do
		sed -n '/^  egress:/,$p' "$work/policy.yaml" | grep -Eq "port: $port\b" || fail "pods cannot reach port $port"
	done
	for port in "${served[@]}"; do
		grep -q "containerPort: $port}" "$work/chart.yaml" || fail "pods do not serve port $port"
	done
done

step "values that cannot work"
refuses() { # WANT ARGUMENT...
	local want=$1
	shift
	! render "$@" >"$work/out" 2>&1 || fail "helm accepts $*"
	grep -q -- "$want" "$work/out" || fail "helm refuses $* without saying \"$want\": $(cat "$work/out")"
}
refuses "replica" --set replica=3
refuses "mode" --set config.mode=prod
refuses "replicas" --set replicas=0
refuses "set sharedState=true, or set replicas=1" --set replicas=3
refuses "name the Secret" --set replicas=3,sharedState=true
refuses "a sandbox keeps its worlds in memory" --set replicas=3,config.mode=sandbox

step "state"
render --values "$chart/examples/one-replica.yaml" >"$work/one.yaml"
grep -q 'claimName: causeway' "$work/one.yaml" || fail "one replica has no volume"
render --values "$chart/examples/three-replicas.yaml" >"$work/three.yaml"
grep -q 'key: CAUSEWAY_STORAGE__URL' "$work/three.yaml" || fail "three replicas do not need the shared database"
! grep -q claimName "$work/three.yaml" || fail "three replicas have one volume"
