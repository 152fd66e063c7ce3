package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// makeBinaries builds each binary twice, the second time from a clone in another directory with nothing of the first build at hand, and compares them.
func (m *maker) makeBinaries(ctx context.Context) error {
	foreign, err := m.placesOf(ctx)
	if err != nil {
		return err
	}
	elsewhere, err := m.clone(ctx)
	if err != nil {
		return err
	}
	for _, arch := range architectures() {
		path, again := m.asset("causeway-"+m.version+"-linux-"+arch), filepath.Join(m.work, "again-"+arch)
		if err := m.compile(ctx, m.repo, arch, path); err != nil {
			return err
		}
		size, err := m.inspect(path, arch, foreign)
		if err != nil {
			return err
		}
		m.binaries[arch] = path
		m.passed("binary %s: %.1f MB, static, stripped, without paths of this machine", arch, float64(size)/1e6)
		if elsewhere == "" {
			continue
		}
		if err := m.compile(ctx, elsewhere, arch, again, "GOCACHE="+filepath.Join(m.work, "cache")); err != nil {
			return err
		}
		if err := same(path, again); err != nil {
			return err
		}
		m.passed("binary %s: the same when built again from nothing, in another directory", arch)
	}
	if err := m.collectNotices(ctx); err != nil {
		return err
	}
	return m.tryBinary(ctx)
}

// clone copies the commit into another directory, for a second build. It returns nothing, and says so, where there is to be none.
func (m *maker) clone(ctx context.Context) (string, error) {
	if !m.again {
		m.leave("whether the binaries are the same when they are built again: -again is off")
		return "", nil
	}
	changed, err := command(ctx, m.repo, nil, "git", "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if len(changed) > 0 {
		m.leave("whether the binaries are the same when they are built again: there are changes that no commit has")
		return "", nil
	}
	dir := filepath.Join(m.work, "elsewhere")
	_, err = command(ctx, m.work, nil, "git", "clone", "--quiet", m.repo, dir)
	return dir, err
}

// compile builds the service from a directory.
func (m *maker) compile(ctx context.Context, dir, arch, path string, more ...string) error {
	env := append([]string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off"}, more...)
	_, err := command(ctx, dir, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w -buildid= -X main.version="+m.version, "-o", path, "./cmd/causeway")
	return err
}

// placesOf are directories of this machine, which have no business in a binary.
func (m *maker) placesOf(ctx context.Context) ([]string, error) {
	out, err := command(ctx, m.repo, nil, "go", "env", "GOMODCACHE", "GOROOT", "GOCACHE")
	if err != nil {
		return nil, err
	}
	return append(strings.Fields(string(out)), m.repo, m.work), nil
}

const (
	largest = 30_000_000 // bytes of a binary
	// lookup finds methods by their names. Where it is linked in, the linker must keep every method of every type in an interface, and the binary is
	// half as large again. Pages are made with gomponents, which takes only the escaping from there.
	lookup = "text/template.(*state).evalField"
)

// inspect looks into a binary and returns its size in bytes.
func (m *maker) inspect(path, arch string, foreign []string) (int, error) {
	content, err := os.ReadFile(path) //nolint:gosec // just made
	if err != nil {
		return 0, err
	}
	file, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	faults := elfFaults(file, arch)
	if settings["-trimpath"] != "true" || settings["CGO_ENABLED"] != "0" || settings["vcs.revision"] != m.commit {
		faults = append(faults, fmt.Errorf("was built otherwise than it should be: %v", settings))
	}
	faults = append(faults, contentFaults(content, foreign)...)
	if len(faults) > 0 {
		return 0, fmt.Errorf("%s %w", path, errors.Join(faults...))
	}
	return len(content), nil
}

// contentFaults are what is in a binary that should not be.
func contentFaults(content []byte, foreign []string) []error {
	var faults []error
	if len(content) > largest {
		faults = append(faults, fmt.Errorf("has %d bytes, %d are the most", len(content), largest))
	}
	if bytes.Contains(content, []byte(lookup)) {
		faults = append(faults, fmt.Errorf("has %s in it: somebody renders a text/template or html/template", lookup))
	}
	for _, place := range foreign {
		if bytes.Contains(content, []byte(place+"/")) {
			faults = append(faults, fmt.Errorf("has the path %s in it", place))
		}
	}
	return faults
}

// elfFaults are what an executable is that it should not be.
func elfFaults(file *elf.File, arch string) []error {
	var faults []error
	if want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]; file.Machine != want {
		faults = append(faults, fmt.Errorf("is for %s", file.Machine))
	}
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		faults = append(faults, errors.New("is not static"))
	}
	if file.Section(".symtab") != nil || file.Section(".debug_info") != nil {
		faults = append(faults, errors.New("is not stripped"))
	}
	return faults
}

// tryBinary asks the binaries for their version, those of other machines through qemu where that is installed.
func (m *maker) tryBinary(ctx context.Context) error {
	for _, arch := range architectures() {
		program := []string{m.binaries[arch], "--version"}
		if !runsHere(arch) {
			emulator := map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[arch]
			if !has(emulator) {
				m.leave("the " + arch + " binary was not run: this machine is another one, and there is no " + emulator)
				continue
			}
			program = slices.Insert(program, 0, emulator)
		}
		out, err := command(ctx, m.work, nil, program[0], program[1:]...)
		if err != nil {
			return err
		}
		if want := "causeway version " + m.version + "\n"; string(out) != want {
			return fmt.Errorf("--version says %q, want %q", out, want)
		}
		m.passed("binary %s: says its version", arch)
	}
	return nil
}

// same compares two files that should be one.
func same(path, again string) error {
	one, err := sumOf(path)
	if err != nil {
		return err
	}
	two, err := sumOf(again)
	if err != nil {
		return err
	}
	if one != two {
		return fmt.Errorf("%s comes out different when it is built again: %s, %s", path, one, two)
	}
	return nil
}

// sumOf is the SHA-256 of a file, in hexadecimal.
func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path) //nolint:gosec // a file of dist or of our work
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}
