#!/usr/bin/env bash
# check.sh: checks dist/ and the deployment files as far as that is possible without Docker, Kubernetes and root.
# `make dist-check` runs it. It needs the Debian packages jq, shellcheck, systemd, unzip and yamllint, and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { printf '== %s\n' "$*"; }
PATH=$PATH:${XDG_CACHE_HOME:-$HOME/.cache}/causeway # promtool, from test/tools.sh
fail() { printf '%s\n' "$*" >&2; exit 1; }
lint_yaml() { yamllint --strict -d '{extends: relaxed, rules: {line-length: disable, indentation: disable, trailing-spaces: disable}}' "$@"; }

step "archives, bills of materials and checksums"
(cd dist && sha256sum --check --quiet SHA256SUMS)
for target in {linux,darwin,windows}_{amd64,arm64}; do
	case $target in
	windows*) list=(unzip -Z1 dist/causeway_*_"$target".zip) binary=causeway.exe ;;
	*) list=(tar -tf dist/causeway_*_"$target".tar.gz) binary=causeway ;;
	esac
	want=$(printf '%s\n' LICENSE NOTICE README.md THIRD_PARTY_LICENSES "$binary")
	[ "$("${list[@]}" | LC_ALL=C sort)" = "$want" ] || fail "the archive for $target contains: $("${list[@]}" | xargs)"
	jq --exit-status '.bomFormat == "CycloneDX" and (.components | length > 10) and all(.components[]; .purl and .version)' \
		dist/causeway_*_"$target".cdx.json >/dev/null || fail "the bill of materials for $target is incomplete"
done
tar -xf dist/causeway_*_linux_"$(go env GOARCH)".tar.gz -C "$work" causeway
causeway=$work/causeway
version=$(jq -r .version dist/metadata.json)
"$causeway" --version | grep -qF "$version" || fail "the binary reports $("$causeway" --version), not $version"

step "Debian packages"
cat >"$work/files" <<'END'
-rw-r--r-- root/root ./etc/causeway/causeway.yaml
-rw-r--r-- root/root ./etc/causeway/environment
drwx------ root/root ./etc/causeway/secrets/
-rwxr-xr-x root/root ./usr/bin/causeway
-rw-r--r-- root/root ./usr/lib/systemd/system/causeway.service
END
for deb in dist/*.deb; do
	arch=${deb##*_} arch=${arch%.deb}
	[ "$(dpkg-deb --field "$deb" Package Architecture Depends)" = "$(printf '%s: %s\n' Package causeway Architecture "$arch" Depends ca-certificates)" ] ||
		fail "$deb has other fields: $(dpkg-deb --field "$deb")"
	dpkg-deb --contents "$deb" | awk '{print $1, $2, $6}' >"$work/contents"
	missing=$(grep -vxFf "$work/contents" "$work/files") && fail "$deb lacks: $missing"
	grep -v '^[d-]rw[x-]r-[x-]r-[x-] root/root \|^drwx------ root/root ./etc/causeway/secrets/' "$work/contents" && fail "$deb: unusual mode or owner"
	dpkg-deb --control "$deb" "$work/control-$arch"
	[ "$(cat "$work/control-$arch/conffiles")" = "$(printf '/etc/causeway/%s\n' causeway.yaml environment)" ] || fail "$deb has other conffiles"
	for script in postinst prerm postrm; do [ -x "$work/control-$arch/$script" ] || fail "$deb has no $script"; done
done

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
shellcheck config/deploy/*.sh config/deploy/debian/p* test/*.sh .ci/run
mapfile -t yaml < <(git ls-files '*.yaml' '*.yml' | grep -v chart/templates/)
lint_yaml "${yaml[@]}"
jq empty config/deploy/grafana/*.json

step "Dockerfile and compose.yaml"
npm exec --yes --silent dockerfile-utils@0.16.3 -- lint Dockerfile
"$causeway" upstream env | sed "s/^export //; s/'//g; s/127.0.0.1:9200/upstream:9200/" >"$work/compose.env"
grep -v '^#' config/deploy/compose.env | diff - "$work/compose.env" || fail "config/deploy/compose.env differs from causeway upstream env"
mapfile -t settings < <(cat "$work/compose.env" && sed -n '/^  production:/,/^  upstream:/s/^      \(CAUSEWAY_[A-Z_]*\): /\1=/p' compose.yaml)
env -i "${settings[@]}" "$causeway" config print --mode production >/dev/null

step "Prometheus rules and the queries of the dashboards"
promtool check config config/deploy/prometheus/prometheus.yml
promtool test rules config/deploy/prometheus/alerts_test.yaml
jq --slurp '{groups: [{name: "dashboards", rules: [.[].panels[].targets[]?.expr | {record: "query",
	expr: gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*")}]}]}' config/deploy/grafana/*.json >"$work/queries.yaml"
promtool check rules --lint=none "$work/queries.yaml"

step "Helm chart"
GOBIN=$work go install helm.sh/helm/v3/cmd/helm@v3.22.0
for values in config/deploy/chart/values.yaml config/deploy/chart/ci/*.yaml; do
	"$work/helm" lint --quiet --strict --values "$values" config/deploy/chart
	"$work/helm" template causeway config/deploy/chart --kube-version 1.31.0 --values "$values" >"$work/chart.yaml"
	lint_yaml "$work/chart.yaml"
done
