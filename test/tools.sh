#!/bin/sh
# tools.sh TOOL...: fetches programs that only checks need into ~/.cache/causeway.
#   axe       the accessibility checker that the browser tests inject (MPL 2.0, from npm, pinned by checksum)
#   newman    Postman's command line, which runs the collection (Apache 2.0, from npm)
#   promtool  Debian's, without installing and starting the Prometheus that comes with it
set -eu
cache=${XDG_CACHE_HOME:-$HOME/.cache}/causeway
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

axe() {
	dir=$cache/axe-core-4.14.1
	sum=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
	echo "$sum  $dir/axe.min.js" | sha256sum --check --status 2>/dev/null && return
	(cd "$work" && npm pack --silent axe-core@4.14.1 >/dev/null && tar -xzf axe-core-4.14.1.tgz package/axe.min.js)
	echo "$sum  $work/package/axe.min.js" | sha256sum --check --quiet
	mkdir -p "$dir"
	mv "$work/package/axe.min.js" "$dir/"
}

newman() {
	dir=$cache/newman-6.2.2
	[ ! -x "$dir/node_modules/.bin/newman" ] || return 0
	npm install --silent --no-audit --no-fund --prefix "$work/newman" newman@6.2.2 >/dev/null
	mkdir -p "$cache"
	rm -rf "$dir"
	mv "$work/newman" "$dir"
}

promtool() {
	[ ! -x "$cache/promtool" ] || return 0
	(cd "$work" && apt-get update -qq && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb .)
	mkdir -p "$cache"
	mv "$work/usr/bin/promtool" "$cache/"
}

for tool; do "$tool"; done
