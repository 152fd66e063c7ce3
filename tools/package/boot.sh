# boot.sh WORK PACKAGE: installs the package on an overlay of this machine's root, with a file for each secret, starts a systemd there as process 1 of
# namespaces of its own, without a network, and lets it start and stop the unit. Says "ok: …", or "left: …" where no systemd comes up; anything else is wrong.
work=$1 package=$2 part=${3-outside}
root=$work/root

outside() {
	[ -x /lib/systemd/systemd ] && [ -e /lib/systemd/system/dbus.socket ] || { echo "left: the unit was not started: systemd or dbus is not installed"; exit 0; }
	mkdir -p "$work/upper" "$work/work" "$root"
	# a group of its own, so that this systemd sees no other
	group=/sys/fs/cgroup/causeway-package-$$
	[ ! -d /sys/fs/cgroup/systemd ] || group=/sys/fs/cgroup/systemd/causeway-package-$$
	if mkdir "$group" 2>/dev/null; then
		timeout --kill-after=5 120 sh -c 'echo $$ >"$1/cgroup.procs" && exec unshare -m -p -f -u -i -n -C --kill-child sh -eu "$2" "$3" "$4" inside' \
			sh "$group" "$0" "$work" "$package" >"$work/boot.log" 2>&1 || true
		find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
	fi
	said=$work/upper/probe.log
	[ -s "$said" ] || { echo "left: the unit was not started: no systemd comes up here"; exit 0; }
	for want in '"status":"live"' 'user dynamic' 'secrets 3' 'state 700' 'history there' 'key usable' reloaded 'Result=success' 'ExecMainStatus=0'; do
		grep -qF "$want" "$said" || { echo "the unit under systemd: no $want in"; cat "$said" "$work/upper/causeway.log"; exit 1; }
	done
	echo "ok: its unit starts under systemd with all its restrictions, reads its secrets, keeps its state, takes a new key, reloads, and drains on stop"
}

inside() {
	mount --make-rprivate /
	mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	if [ -d /sys/fs/cgroup/systemd ]; then
		mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
		mkdir "$root/sys/fs/cgroup/systemd"
		mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
	else
		mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
	fi
	mount -t tmpfs tmpfs "$root/run"
	mount -t tmpfs tmpfs "$root/dev"
	for device in null zero full random urandom tty; do
		touch "$root/dev/$device"
		mount --bind "/dev/$device" "$root/dev/$device"
	done
	mkdir "$root/dev/shm" "$root/dev/pts" "$root/dev/mqueue"
	ln -s pts/ptmx "$root/dev/ptmx"

	cp "$package" "$root/causeway.deb"
	chroot "$root" dpkg -i --force-depends /causeway.deb
	sed -n 's/^#\(CAUSEWAY_.*_FILE=\)/\1/p' "$root/etc/causeway/environment" | head -3 >"$work/environment"
	cp "$work/environment" "$root/etc/causeway/environment"
	while IFS='=' read -r _ file; do echo "a-secret-of-thirty-two-characters-or-more" >"$root/etc/causeway/secrets/${file##*/secrets_}"; done <"$work/environment"

	# nothing of this machine but the unit and what looks at it
	units=$root/etc/systemd/system
	rm -rf "$units"/*.wants "$root"/lib/systemd/system/*.target.wants
	mkdir -p "$units/causeway.service.d"
	printf '[Service]\nStandardOutput=append:/causeway.log\nStandardError=append:/causeway.log\n' >"$units/causeway.service.d/log.conf"
	printf '%s\n' '[Unit]' DefaultDependencies=no After=causeway.service Wants=causeway.service '[Service]' Type=oneshot \
		'ExecStart=/bin/bash /probe.sh' StandardOutput=file:/probe.log StandardError=inherit 'ExecStopPost=systemctl poweroff -ff' >"$units/probe.service"
	cat >"$root/probe.sh" <<'END'
live() { exec 3<>/dev/tcp/127.0.0.1/9099 && printf 'GET /livez HTTP/1.0\r\n\r\n' >&3 && cat <&3; }
for _ in {1..150}; do (live) 2>/dev/null && break; sleep 0.2; done
pid=$(systemctl show causeway -p MainPID --value)
user=$(stat -c %u "/proc/$pid")
[ "$user" -ge 61184 ] && [ "$user" -le 65519 ] && echo "user dynamic"
echo "secrets $(ls /run/credentials/causeway.service | grep -c '^secrets_')"
echo "state $(stat -c %a /var/lib/private/causeway)"
[ -s /var/lib/private/causeway/history.db ] && echo "history there"
systemctl start dbus.socket
systemd-run --quiet --pipe --wait -p DynamicUser=yes -p User=causeway -p StateDirectory=causeway \
	causeway keys create --config /etc/causeway/causeway.yaml --name probe >/dev/null && [ "$(stat -c %u /var/lib/private/causeway/keys.json)" = "$user" ] && echo "key usable"
systemctl reload causeway
for _ in {1..150}; do grep -q 'was read again' /causeway.log && break; sleep 0.2; done
grep -q 'was read again' /causeway.log && [ "$(systemctl show causeway -p MainPID --value)" = "$pid" ] && echo "reloaded"
systemctl stop causeway
systemctl show causeway -p Result -p ExecMainStatus
END

	mkdir -p "$root/before"
	cd "$root"
	pivot_root . before
	mount --make-rprivate /
	umount -l /before
	mount --make-rshared / # systemd hands credentials over by a mount
	exec env -i container=causeway-package PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=probe.service --log-target=console
}

"$part"
