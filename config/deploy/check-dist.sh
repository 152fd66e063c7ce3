#!/usr/bin/env bash
# check-dist.sh: checks the release in dist/. `make dist-check` runs it. It needs the Debian packages jq and unzip.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { printf '== %s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

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
version=$(jq -r .version dist/metadata.json)
"$work/causeway" --version | grep -qF "$version" || fail "the binary reports $("$work/causeway" --version), not $version"

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
