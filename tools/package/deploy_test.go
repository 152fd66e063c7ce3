package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// These hold what is deployed to the program as it is now, without what takes minutes in make package: builds for other machines, builds from nothing,
// installation.

var built struct {
	dir  string
	once sync.Once
	err  error
}

func TestMain(m *testing.M) {
	var err error
	if built.dir, err = os.MkdirTemp("", "causeway-built"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(built.dir)
	os.Exit(code)
}

// program is the service, built for this machine.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(built.dir, "causeway")
	built.once.Do(func() {
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./cmd/causeway")
		cmd.Dir, cmd.Env, cmd.Stderr = "../..", append(os.Environ(), "CGO_ENABLED=0"), os.Stderr // static, as it runs in an image
		built.err = cmd.Run()
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return path
}

// making is a run that has its binaries already.
func making(t *testing.T, binary string) *maker {
	t.Helper()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{
		repo: repo, dist: t.TempDir(), work: t.TempDir(), version: "v1.2.3", commit: "0123456789", epoch: noon(), out: io.Discard,
		notices: []byte("do as you like"), binaries: map[string]string{},
	}
	for _, arch := range architectures() {
		m.binaries[arch] = binary
	}
	return m
}

func small(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "causeway")
	if err := os.WriteFile(path, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheChartMakesWhatItPromisesWithAnyValues(t *testing.T) {
	t.Parallel()
	m := making(t, program(t))
	if err := m.makeChart(t.Context()); err != nil {
		t.Fatal(err)
	}
	chart, err := os.ReadFile(m.asset("causeway-chart-0.1.0.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	again := making(t, program(t))
	again.work = m.work
	if err := again.makeChart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(again.asset("causeway-chart-0.1.0.tgz")); err != nil || !bytes.Equal(chart, second) {
		t.Errorf("the chart comes out different when it is made again (%v)", err)
	}
}

func TestThePackageHoldsWhatItShould(t *testing.T) {
	t.Parallel()
	m := making(t, small(t))
	for _, arch := range architectures() {
		files, err := m.debFiles(arch, "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		one, two := m.asset("one.deb"), m.asset("two.deb")
		for _, to := range []string{one, two} {
			if err := m.packDeb(t.Context(), files, to); err != nil {
				t.Fatal(err)
			}
		}
		if err := same(one, two); err != nil {
			t.Error(err)
		}
		if err := m.checkDeb(t.Context(), one, arch, "1.2.3"); err != nil {
			t.Error(err)
		}
		for script, n := range files {
			if strings.HasPrefix(string(n.content), "#!/bin/sh") {
				sh := exec.CommandContext(t.Context(), "sh", "-n")
				sh.Stdin = bytes.NewReader(n.content)
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%s: %v %s", script, err, out)
				}
			}
		}
		for conffile := range strings.FieldsSeq(string(files["DEBIAN/conffiles"].content)) {
			if _, ok := files[strings.TrimPrefix(conffile, "/")]; !ok {
				t.Errorf("%s is configuration and not there", conffile)
			}
		}
	}
}

func TestAPackageThatWouldHarmIsNotedBeforeItIsHandedOut(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(tree){
		"secrets that all can read":     func(f tree) { n := f["etc/causeway/secrets"]; n.mode |= 0o055; f["etc/causeway/secrets"] = n },
		"a program that all can change": func(f tree) { f["usr/bin/causeway"] = node{0o777, nil} },
		"no unit":                       func(f tree) { delete(f, "usr/lib/systemd/system/causeway.service") },
		"another version": func(f tree) {
			f["DEBIAN/control"] = node{0o644, bytes.Replace(f["DEBIAN/control"].content, []byte("1.2.3"), []byte("1.2.4"), 1)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := making(t, small(t))
			files, err := m.debFiles("amd64", "1.2.3")
			if err != nil {
				t.Fatal(err)
			}
			spoil(files)
			if err := m.packDeb(t.Context(), files, m.asset("spoilt.deb")); err != nil {
				t.Fatal(err)
			}
			if err := m.checkDeb(t.Context(), m.asset("spoilt.deb"), "amd64", "1.2.3"); err == nil {
				t.Error("it is taken")
			}
		})
	}
}

// TestTheConfigurationOfThePackageIsTaken reads it as the unit does: with the secrets that its environment names, and not without.
func TestTheConfigurationOfThePackageIsTaken(t *testing.T) {
	t.Parallel()
	const deploy = "../../config/deploy/"
	text, err := os.ReadFile(deploy + "environment")
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(secretText), 0o600); err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, example := range regexp.MustCompile(`(?m)^#(CAUSEWAY_\w+_FILE)=/run/credentials/causeway\.service/secrets_\w+$`).FindAllStringSubmatch(string(text), -1) {
		env = append(env, example[1]+"="+secret)
	}
	if want := strings.Count(string(text), "\n#CAUSEWAY_"); len(env) != want || want < 3 {
		t.Errorf("%d of %d examples name a file of the unit", len(env), want)
	}
	printed, err := command(t.Context(), ".", env, program(t), "config", "print", "--config", deploy+"causeway.yaml")
	if err != nil || !bytes.Contains(printed, []byte("mode: production")) || bytes.Contains(printed, []byte(secretText)) {
		t.Errorf("with secrets: %v\n%s", err, printed)
	}
	if _, err := command(t.Context(), ".", nil, program(t), "config", "print", "--config", deploy+"causeway.yaml"); err == nil || !strings.Contains(err.Error(), needed) {
		t.Errorf("without secrets it says %v", err)
	}
}

func TestTheUnitIsWhatSystemdTakesAndConfined(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../config/deploy/causeway.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "causeway.service")
	here := bytes.Replace(text, []byte("ExecStart=/usr/bin/causeway "), []byte("ExecStart="+program(t)+" "), 1)
	if err := os.WriteFile(unit, here, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", unit}, {"security", "--offline=true", fmt.Sprint("--threshold=", exposure), unit}} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v (make deps installs it)\n%s", args[0], err, out)
		}
	}
}

func TestTheProgramIsSmall(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(program(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > largest {
		t.Errorf("it has %d bytes; %d are the most", len(content), largest)
	}
	if bytes.Contains(content, []byte(lookup)) {
		t.Errorf("it has %s in it: somebody renders a text/template or html/template, and every exported method is linked in", lookup)
	}
}

func TestTheImageRuns(t *testing.T) {
	t.Parallel()
	m := making(t, small(t))
	m.binaries[runtime.GOARCH] = program(t)
	if err := m.makeImage(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, what := range m.left {
		t.Log("not checked:", what)
	}
}
