#!/usr/bin/env bash
# licenses.sh FILE: writes to FILE the licences and notices of Go and of every module that a released binary links.
set -euo pipefail
mkdir -p "$(dirname "$1")"
{
	echo "Go $(go env GOVERSION) $(go env GOROOT)"
	for os in linux darwin windows; do
		GOOS=$os CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}' ./cmd/causeway
	done | grep -v '^causeway[ /]' | LC_ALL=C sort -u
} | while read -r module version dir; do
	found=
	for file in "$dir"/[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]* "$dir"/COPYING* "$dir"/NOTICE* "$dir"/PATENTS*; do
		[ -f "$file" ] || continue
		found=yes
		printf '%s %s: %s\n\n%s\n\n%s\n' "$module" "$version" "${file##*/}" "$(cat "$file")" "$(printf '%080d' 0 | tr 0 =)"
	done
	[ -n "$found" ] || { echo "licenses.sh: $module $version has no licence file in $dir" >&2; exit 1; }
done >"$1"
cat docs/assets/vendor/LICENSES >>"$1"
