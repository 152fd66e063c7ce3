# install.sh WORK PACKAGE: installs the package on an overlay of this machine's root, in namespaces that end with this script. What it finds
# good it says as "ok: …", what it cannot check as "left: …"; anything that is wrong ends it. EXPOSURE is the most that `systemd-analyze security` may find.
work=$1 package=$2
mkdir -p "$work/upper" "$work/work" "$work/root"
mount --make-rprivate /
if ! mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root" 2>/dev/null; then
	echo "left: the package was not installed, its unit not verified: there are no overlays here"
	exit 0
fi
root=$work/root
mount -t proc proc "$root/proc"
cp "$package" "$root/causeway.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
fail() { echo "$*"; exit 1; }

inside dpkg -P causeway >/dev/null 2>&1 || true # of this machine
if ! inside dpkg-query -W -f '${Status}\n' ca-certificates 2>/dev/null | grep -q 'ok installed'; then
	echo "left: the package was not installed, its unit not verified: what it depends on is not here"
	exit 0
fi
inside dpkg -i /causeway.deb
inside dpkg -V causeway | grep . && fail "dpkg finds other files than it installed"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/causeway.service" ] || fail "it was enabled without being asked"
echo "ok: installed by dpkg"

# production without secrets refuses, and says what it needs; with them, as the unit hands them over, it takes the file
if said=$(inside causeway config print --config /etc/causeway/causeway.yaml 2>&1); then fail "it takes production without secrets"; fi
echo "$said" | grep -q CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID || fail "it does not say what is missing: $said"
mkdir -p "$root/run/credentials/causeway.service"
sed -n 's/^#\(CAUSEWAY_[A-Z_]*_FILE=\)/\1/p' "$root/etc/causeway/environment" >"$work/environment"
[ "$(wc -l <"$work/environment")" -ge 3 ] || fail "/etc/causeway/environment has no examples"
while IFS='=' read -r _ file; do echo "a-secret-of-thirty-two-characters-or-more" >"$root$file"; done <"$work/environment"
# shellcheck disable=SC2046 # one word each
printed=$(inside $(cat "$work/environment") causeway config print --config /etc/causeway/causeway.yaml)
echo "$printed" | grep -q 'mode: production' || fail "it prints another configuration: $printed"
echo "$printed" | grep -q 'a-secret' && fail "it prints a secret"
echo "ok: its configuration is taken with secrets from files, and refused without"

if command -v systemd-analyze >/dev/null; then
	said=$(inside systemd-analyze verify /usr/lib/systemd/system/causeway.service 2>&1) || fail "systemd-analyze verify: $said"
	[ -z "$said" ] || fail "systemd-analyze verify: $said"
	said=$(inside systemd-analyze security --offline=true --threshold="$EXPOSURE" /usr/lib/systemd/system/causeway.service 2>&1) || fail "$said"
	echo "ok: its unit is verified by systemd-analyze, $(echo "$said" | sed -n 's/.*Overall exposure level for causeway.service: \([0-9.]*\).*/exposure \1/p')"
else
	echo "left: the unit by systemd-analyze verify and security: systemd is not installed"
fi

# an upgrade keeps what the operator wrote; a removal keeps the configuration, a purge keeps nothing
echo "# mine" >>"$root/etc/causeway/causeway.yaml"
echo secret >"$root/etc/causeway/secrets/paystack_ng"
inside dpkg -i /causeway.deb
grep -q '# mine' "$root/etc/causeway/causeway.yaml" || fail "an upgrade overwrote the configuration"
inside systemctl enable causeway.service >/dev/null 2>&1 || true
inside dpkg -r causeway
[ ! -e "$root/usr/bin/causeway" ] || fail "the binary stayed"
[ ! -L "$root/etc/systemd/system/multi-user.target.wants/causeway.service" ] || fail "it stayed enabled"
[ -e "$root/etc/causeway/secrets/paystack_ng" ] || fail "removing it took the secrets"
inside dpkg -P causeway
[ ! -e "$root/etc/causeway" ] || fail "purging it left $(ls -A "$root/etc/causeway")"
echo "ok: upgraded, removed and purged by dpkg"
