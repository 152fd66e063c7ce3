package main

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func TestVersionsAreOrderedAsDebianOrdersThem(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3-4-gabc": "1.2.3+4+gabc", "v1.2.3-dirty": "1.2.3+dirty", "v1.10": "1.10",
		"6c307ba": "0.0.0~20261121120000.6c307ba", "6c307ba-dirty": "0.0.0~20261121120000.6c307ba.dirty", "1234567": "0.0.0~20261121120000.1234567", "dev": "0.0.0~20261121120000.dev",
	} {
		if got := debVersion(version, noon()); got != want {
			t.Errorf("%s becomes %s, want %s", version, got, want)
		}
	}
}

func TestABinaryHasNothingThatIsTooMuch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		faults  int
	}{
		"a good one":                {[]byte("code"), 0},
		"a path of the machine":     {[]byte("code /root/go/pkg/mod/x"), 1},
		"a template":                {[]byte("code " + lookup), 1},
		"too large, with all of it": {append(make([]byte, largest), "/root/go/x "+lookup...), 3},
	} {
		if got := contentFaults(c.content, []string{"/root/go"}); len(got) != c.faults {
			t.Errorf("%s: %v, want %d faults", name, got, c.faults)
		}
	}
}

func TestATreeIsTheSameBytesAndBelongsToRoot(t *testing.T) {
	t.Parallel()
	files := tree{"a/b/c": {0o755, []byte("c")}, "a/z": {mode: fs.ModeDir | 0o700}, "a-": {0o644, nil}}
	one, err := files.tar(noon())
	if err != nil {
		t.Fatal(err)
	}
	two, err := tree{"a-": {0o644, nil}, "a/z": {mode: fs.ModeDir | 0o700}, "a/b/c": {0o755, []byte("c")}}.tar(noon())
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("the same files are other bytes (%v)", err)
	}
	back, err := untar(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if got := back["a/b/c"]; string(got.content) != "c" || got.mode.Perm() != 0o755 || back["a/z"].mode != fs.ModeDir|0o700 || back["a/b"].mode != fs.ModeDir|0o755 || len(back) != 5 {
		t.Errorf("read back as %v", back)
	}
	dir := t.TempDir()
	if err := back.write(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a", "b", "c")); err != nil || info.Mode() != 0o755 {
		t.Errorf("written as %v (%v)", info, err)
	}
}

func TestUntarRefusesWhatAnImageMustNotHave(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]tar.Header{
		"a way out":        {Name: "../etc/passwd", Mode: 0o644},
		"somebody's file":  {Name: "etc/passwd", Mode: 0o644, Uid: 1000},
		"somebody's group": {Name: "etc/passwd", Mode: 0o644, Gid: 1000},
	} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := untar(&out); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := untar(strings.NewReader(strings.Repeat("x", 1024))); err == nil {
		t.Error("what is no archive is taken")
	}
}

func TestTheRootOfAnImageHoldsNothingElse(t *testing.T) {
	t.Parallel()
	good := func() tree {
		return tree{
			"etc/group": {mode: 0o644}, "etc/passwd": {mode: 0o644}, "usr/bin/causeway": {mode: 0o755}, "usr/share/doc/causeway/NOTICES.txt": {mode: 0o644},
			roots[1:]: {0o644, authority(t)},
		}
	}
	if err := checkRoot(good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(tree){
		"a shell":           func(f tree) { f["bin/sh"] = node{mode: 0o755} },
		"a writable file":   func(f tree) { f["etc/passwd"] = node{mode: 0o666} },
		"a writable folder": func(f tree) { f["tmp"] = node{mode: fs.ModeDir | 0o777} },
		"no authority":      func(f tree) { f[roots[1:]] = node{mode: 0o644} },
		"no binary":         func(f tree) { delete(f, "usr/bin/causeway") },
	} {
		files := good()
		spoil(files)
		if checkRoot(files) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// authority is a certificate of this machine: its first one.
func authority(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile(roots)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestABillNamesEveryModuleOnce(t *testing.T) {
	t.Parallel()
	info := func() *debug.BuildInfo {
		return &debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Path: "causeway"},
			Deps: []*debug.Module{
				{Path: "example.org/a", Version: "v1.0.0+incompatible", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
				{Path: "example.org/b/v2", Version: "v2.0.0-20260101000000-abcdefabcdef"},
			},
			Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "arm64"}, {Key: "-ldflags", Value: "not to be told"}},
		}
	}
	encoded := func(bom *cdx.BOM) []byte {
		var out bytes.Buffer
		if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	bom, err := bill(info(), "v1", "00ff", noon())
	if err != nil {
		t.Fatal(err)
	}
	text := encoded(bom)
	if err := checkBill(text, info()); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`"purl":"pkg:golang/example.org/a@v1.0.0+incompatible"`, `"purl":"pkg:golang/std@1.26.8"`, `"timestamp":"2026-11-21T12:00:00Z"`, `"go:build:GOARCH"`,
		`"content":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`, // of nothing
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("lacks %s: %s", want, text)
		}
	}
	if bytes.Contains(text, []byte("not to be told")) {
		t.Error("tells flags of the linker")
	}
	again, err := bill(info(), "v1", "00ff", noon())
	if err != nil || !bytes.Equal(text, encoded(again)) {
		t.Errorf("the same binary has another bill (%v)", err)
	}

	more := info()
	more.Deps = append(more.Deps, &debug.Module{Path: "example.org/c", Version: "v1.0.0"})
	if checkBill(text, more) == nil {
		t.Error("a bill without a module is taken")
	}
	*bom.Components = append(*bom.Components, (*bom.Components)[0])
	if checkBill(encoded(bom), info()) == nil {
		t.Error("a bill with a module twice is taken")
	}
	replaced := info()
	replaced.Deps[0].Replace = &debug.Module{Path: "../a"}
	if _, err := bill(replaced, "v1", "00ff", noon()); err == nil {
		t.Error("a module that is replaced is called by its name")
	}
}

func TestNoticesAreThereOrMissed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var text bytes.Buffer
	if quoteNotices(&text, "a module", dir) == nil {
		t.Error("a module without a license is taken")
	}
	for name, content := range map[string]string{"LICENSE.md": "do as you like", "NOTICE": "by us", "license.go": "package license", "README": "hello"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := quoteNotices(&text, "a module", dir); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, "do as you like") || !strings.Contains(got, "by us") || strings.Contains(got, "package license") || strings.Contains(got, "hello") {
		t.Errorf("quotes %s", got)
	}
}

func TestWhatHelmRendersIsReadStrictly(t *testing.T) {
	t.Parallel()
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}]}\n"
	for name, text := range map[string]string{
		"an unknown field": strings.ReplaceAll(service, "port: 80", "prot: 80"),
		"a field twice":    service + "kind: Service\n",
		"a wrong type":     strings.ReplaceAll(service, "80", "eighty"),
		"an unknown kind":  "apiVersion: v1\nkind: Secrets\nmetadata: {name: a}\n",
		"an old version":   "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n",
		"too little":       service,
		"what is no YAML":  "kind: [",
		"nothing":          "",
	} {
		if _, err := decode(text); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestArgumentsAreRefusedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		nil, {"-version", "v1"}, {"-version", "a b", "-commit", "c", "-epoch", "1"}, {"-version", "../x", "-commit", "c", "-epoch", "1"}, {"-unknown"},
	} {
		if err := run(t.Context(), slices.Concat([]string{"-repo", dir}, args), &bytes.Buffer{}); err == nil {
			t.Errorf("%v are taken", args)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("something was made: %v (%v)", entries, err)
	}
}
