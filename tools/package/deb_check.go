package main

import (
	"archive/tar"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The scripts try a package on copies of this machine that are thrown away: install.sh installs, upgrades, removes and purges it, boot.sh starts its unit
// under a systemd of its own.
//
//go:embed install.sh boot.sh
var scripts embed.FS

const exposure = 15 // the most that `systemd-analyze security` may find in the unit, in tenths; 12 with systemd 252

// checkDeb reads a package as dpkg does.
func (m *maker) checkDeb(ctx context.Context, path, arch, version string) error {
	fields, err := command(ctx, m.work, nil, "dpkg-deb", "--field", path, "Package", "Version", "Architecture")
	if err != nil {
		return err
	}
	if want := fmt.Sprintf("Package: causeway\nVersion: %s\nArchitecture: %s\n", version, arch); string(fields) != want {
		return fmt.Errorf("%s says it is\n%s", path, fields)
	}
	if err := m.checkDebFiles(ctx, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// tryDeb lets lintian look into a package, and installs it.
func (m *maker) tryDeb(ctx context.Context, path, arch string) error {
	if has("lintian") {
		if _, err := command(ctx, m.work, nil, "lintian", "--fail-on", "error,warning", "--allow-root", "--no-cfg", path); err != nil {
			return err
		}
		m.passed("package %s: lintian has no errors and no warnings", arch)
	} else {
		m.leave("the package for " + arch + " by lintian: it is not installed")
	}
	if !runsHere(arch) {
		m.leave("the package for " + arch + " was not installed: this machine is another one")
		return nil
	}
	return m.tryInstall(ctx, path)
}

// checkDebFiles reads what would be unpacked.
func (m *maker) checkDebFiles(ctx context.Context, path string) error {
	content, err := command(ctx, m.work, nil, "dpkg-deb", "--fsys-tarfile", path)
	if err != nil {
		return err
	}
	want := map[string]string{
		"usr/bin/causeway": "-rwxr-xr-x", "usr/lib/systemd/system/causeway.service": "-rw-r--r--", "etc/causeway/causeway.yaml": "-rw-r--r--",
		"etc/causeway/environment": "-rw-r--r--", "etc/causeway/secrets": "drwx------", "usr/share/doc/causeway/NOTICES.txt": "-rw-r--r--",
	}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(m.epoch) || h.Mode&0o022 != 0 {
			return fmt.Errorf("%s belongs to %d:%d, was made %s, has mode %o", h.Name, h.Uid, h.Gid, h.ModTime, h.Mode)
		}
		name := strings.Trim(strings.TrimPrefix(h.Name, "."), "/")
		if mode := h.FileInfo().Mode().String(); want[name] != "" && want[name] != mode {
			return fmt.Errorf("%s has mode %s", name, mode)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		return fmt.Errorf("lacks %v", slices.Sorted(maps.Keys(want)))
	}
	return nil
}

// tryInstall runs the scripts, in namespaces of their own.
func (m *maker) tryInstall(ctx context.Context, path string) error {
	if !isRoot() {
		m.leave("the package was not installed, its unit neither verified nor started: that needs the rights of root")
		return nil
	}
	for _, name := range []string{"install.sh", "boot.sh"} {
		script, err := scripts.ReadFile(name)
		if err != nil {
			return err
		}
		file := filepath.Join(m.work, name)
		if err := os.WriteFile(file, script, 0o600); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "sh", "-eu", file, filepath.Join(m.work, "on-"+name), path) //nolint:gosec // our own script
		cmd.Env = append(os.Environ(), fmt.Sprint("EXPOSURE=", exposure))
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s with %s: %w\n%s", name, path, err, out)
		}
		m.report(string(out))
	}
	return nil
}

// report takes over what a script found good, and what it left.
func (m *maker) report(said string) {
	for line := range strings.Lines(said) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), "left: "); ok {
			m.leave(what)
		} else if what, ok := strings.CutPrefix(strings.TrimSpace(line), "ok: "); ok {
			m.passed("package: %s", what)
		}
	}
}
