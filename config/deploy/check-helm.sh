#!/usr/bin/env bash
# check-helm.sh: checks the Helm chart. `make helm-check` runs it; the first run compiles helm. It needs the Debian
# package yamllint.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

helm() { go run helm.sh/helm/v3/cmd/helm@v3.22.0 "$@"; }
for values in config/deploy/chart/values.yaml config/deploy/chart/ci/*.yaml; do
	helm lint --quiet --strict --values "$values" config/deploy/chart
	helm template causeway config/deploy/chart --kube-version 1.31.0 --values "$values" >"$work/chart.yaml"
	yamllint --strict -d '{extends: relaxed, rules: {line-length: disable, indentation: disable, trailing-spaces: disable}}' \
		"$work/chart.yaml"
done
