#!/usr/bin/env bash
# check.sh: checks the deployment files with bin/causeway as far as that is possible without Docker, Kubernetes and
# root. `make deploy-check` runs it; `make helm-check` checks the Helm chart. It needs the Debian packages
# jq, shellcheck, systemd and yamllint, and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { printf '== %s\n' "$*"; }
PATH=$PATH:${XDG_CACHE_HOME:-$HOME/.cache}/causeway # promtool, from test/tools.sh
fail() { printf '%s\n' "$*" >&2; exit 1; }
lint_yaml() { yamllint --strict -d '{extends: relaxed, rules: {line-length: disable, indentation: disable, trailing-spaces: disable}}' "$@"; }

causeway=$PWD/bin/causeway

step "configuration and unit of the Debian package"
"$causeway" config print --config config/deploy/causeway.yaml >/dev/null 2>&1 && fail "production starts without secrets"
echo a-secret-of-thirty-two-characters-or-more >"$work/secret"
sed -n "s|^#\(CAUSEWAY_.*_FILE\)=.*|\1=$work/secret|p" config/deploy/environment >"$work/environment"
env "$(sed -n 1p "$work/environment")" "$(sed -n 2p "$work/environment")" "$(sed -n 3p "$work/environment")" \
	"$causeway" config print --config config/deploy/causeway.yaml >"$work/printed"
grep -q a-secret "$work/printed" && fail "config print shows a secret"
sed "s|^ExecStart=/usr/bin/causeway|ExecStart=$causeway|" config/deploy/causeway.service >"$work/causeway.service"
said=$(systemd-analyze verify "$work/causeway.service" 2>&1) || fail "systemd-analyze verify: $said"
[ -z "$said" ] || fail "systemd-analyze verify: $said"
systemd-analyze security --offline=true --threshold=15 "$work/causeway.service" >"$work/security" 2>&1 || fail "$(cat "$work/security")"

step "shell scripts, YAML and JSON"
shellcheck config/deploy/*.sh config/deploy/debian/p* test/*.sh adapters/providers/_new/new.sh .ci/run
mapfile -t yaml < <(git ls-files '*.yaml' '*.yml' | grep -v chart/templates/)
lint_yaml "${yaml[@]}"
jq empty config/deploy/grafana/*.json
dangling=$(find config/deploy/chart -xtype l)
[ -z "$dangling" ] || fail "the chart cannot be loaded: $dangling leads nowhere"

step "Dockerfile and compose.yaml"
npm exec --yes --silent dockerfile-utils@0.16.3 -- lint Dockerfile
"$causeway" upstream env --base http://upstream:9200 | sed "s/^export //; s/'//g" >"$work/compose.env"
grep -v '^#' config/deploy/compose.env | diff - "$work/compose.env" || fail "config/deploy/compose.env differs from causeway upstream env"
mapfile -t settings < <(cat "$work/compose.env" && sed -n '/^  production:/,/^  upstream:/s/^      \(CAUSEWAY_[A-Z_]*\): /\1=/p' compose.yaml)
env -i "${settings[@]}" "$causeway" config print --mode production >/dev/null

step "Prometheus rules and the queries of the dashboards"
promtool check config config/deploy/prometheus/prometheus.yml
promtool test rules config/deploy/prometheus/alerts_test.yaml
jq --slurp '{groups: [{name: "dashboards", rules: [.[].panels[].targets[]?.expr | {record: "query",
	expr: gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*")}]}]}' config/deploy/grafana/*.json >"$work/queries.yaml"
promtool check rules --lint=none "$work/queries.yaml"
