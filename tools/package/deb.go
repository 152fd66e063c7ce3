package main

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the form of md5sums, which dpkg uses against bad disks
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// debVersion is a version as Debian orders them: what has no number yet comes before all numbers, by its time.
func debVersion(version string, at time.Time) string {
	if !regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)+`).MatchString(version) {
		return "0.0.0~" + at.Format("20060102150405") + "." + strings.ReplaceAll(version, "-", ".")
	}
	return strings.ReplaceAll(strings.TrimPrefix(version, "v"), "-", "+")
}

const maintainer = "Maintainers of Causeway <maintainers@causeway.invalid>"

// makeDebs makes a package for each architecture, twice, and checks it.
func (m *maker) makeDebs(ctx context.Context) error {
	version := debVersion(m.version, m.epoch)
	for _, arch := range architectures() {
		files, err := m.debFiles(arch, version)
		if err != nil {
			return err
		}
		path, again := m.asset("causeway_"+version+"_"+arch+".deb"), filepath.Join(m.work, "again.deb")
		if err := errors.Join(m.packDeb(ctx, files, path), m.packDeb(ctx, files, again)); err != nil {
			return err
		}
		if err := same(path, again); err != nil {
			return err
		}
		if err := m.checkDeb(ctx, path, arch, version); err != nil {
			return err
		}
		m.passed("package %s: the same when built again, files and owners as they should be", arch)
		if err := m.tryDeb(ctx, path, arch); err != nil {
			return err
		}
	}
	return nil
}

// packDeb writes a package.
func (m *maker) packDeb(ctx context.Context, files tree, to string) error {
	stage, err := os.MkdirTemp(m.work, "deb")
	if err != nil {
		return err
	}
	if err := os.Chmod(stage, 0o755); err != nil { //nolint:gosec // it becomes the root of the machine it is installed on
		return err
	}
	if err := files.write(stage); err != nil {
		return err
	}
	env := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", m.epoch.Unix())}
	_, err = command(ctx, m.work, env, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, to)
	return errors.Join(err, os.RemoveAll(stage))
}

// debFiles are the files of the package, and those that dpkg wants to know.
func (m *maker) debFiles(arch, version string) (tree, error) {
	const doc = "usr/share/doc/causeway/"
	deploy := filepath.Join(m.repo, "config", "deploy")
	out := tree{"etc/causeway/secrets": {mode: fs.ModeDir | 0o700}}
	for _, f := range []struct {
		name string
		mode fs.FileMode
		file string
	}{
		{"usr/bin/causeway", 0o755, m.binaries[arch]},
		{"usr/lib/systemd/system/causeway.service", 0o644, filepath.Join(deploy, "causeway.service")},
		{"etc/causeway/causeway.yaml", 0o644, filepath.Join(deploy, "causeway.yaml")},
		{"etc/causeway/environment", 0o644, filepath.Join(deploy, "environment")},
		{doc + "README.md", 0o644, filepath.Join(m.repo, "README.md")},
		{doc + "METRICS.md", 0o644, filepath.Join(deploy, "METRICS.md")},
		{doc + "RUNBOOK.md", 0o644, filepath.Join(deploy, "prometheus", "RUNBOOK.md")},
		{"usr/share/lintian/overrides/causeway", 0o644, filepath.Join(deploy, "debian", "lintian-overrides")},
		{"DEBIAN/postinst", 0o755, filepath.Join(deploy, "debian", "postinst")},
		{"DEBIAN/prerm", 0o755, filepath.Join(deploy, "debian", "prerm")},
		{"DEBIAN/postrm", 0o755, filepath.Join(deploy, "debian", "postrm")},
	} {
		if err := out.plant(f.name, f.mode, f.file); err != nil {
			return nil, err
		}
	}
	changes := fmt.Sprintf("causeway (%s) unstable; urgency=medium\n\n  * Built from commit %s.\n\n -- %s  %s\n", version, m.commit, maintainer, m.epoch.Format(time.RFC1123Z))
	log, err := zipped([]byte(changes))
	if err != nil {
		return nil, err
	}
	name := doc + "changelog.gz"
	out[name] = node{0o644, log}
	out[doc+"copyright"] = node{0o644, fmt.Appendf(nil, "Copyright %d the maintainers of Causeway\n\nThe modules that are linked into the binary, and their licenses: /usr/share/doc/causeway/NOTICES.txt\n", m.epoch.Year())}
	out[doc+"NOTICES.txt"] = node{0o644, m.notices}
	out["DEBIAN/conffiles"] = node{0o644, []byte("/etc/causeway/causeway.yaml\n/etc/causeway/environment\n")}
	var size int
	var sums bytes.Buffer
	names, all := out.whole()
	for _, name := range names {
		if n := all[name]; !n.mode.IsDir() && !strings.HasPrefix(name, "DEBIAN/") {
			size += len(n.content)
			if !strings.HasPrefix(name, "etc/") {
				fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(n.content), name) //nolint:gosec // see the import
			}
		}
	}
	out["DEBIAN/md5sums"] = node{0o644, sums.Bytes()}
	out["DEBIAN/control"] = node{0o644, fmt.Appendf(nil, `Package: causeway
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: ca-certificates
Section: net
Priority: optional
Description: banks, account names, crypto addresses and prices over HTTP
 Causeway is asked whenever money moves between a bank account and a crypto
 wallet: for the banks of a country, the name behind an account, whether an
 address can be paid, and the prices of currency pairs with their limits.
`, version, arch, maintainer, (size+1023)/1024)}
	return out, nil
}
