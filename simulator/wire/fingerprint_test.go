package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/simulator"
	"causeway/simulator/wire"
)

// fingerprint is the SHA-256 of what a world of the seed "causeway" shows. It changes when the market, the accounts or
// a wire changes, and must not change between machines: a new value belongs into the commit that means it.
const fingerprint = "ac39d4eebcc5fb18122c8a5e9c945f6f474ce851781f6a2de8aab9c8e0e3fc72"

func TestFingerprint(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	sum := sha256.New()
	for _, venue := range []string{simulator.Kraken, simulator.Binance, simulator.Coinbase, simulator.OKX, simulator.Bybit, simulator.Quidax, simulator.Busha} {
		for i, pair := range world.Market().Listed(venue) {
			for j := range 12 { // from milliseconds to years apart
				at := noon.Add(time.Duration(i)*977*time.Millisecond + time.Duration(1)<<(4*j+10))
				book, _ := world.Market().Book(venue, pair, at)
				today, day, _ := world.Market().Day(venue, pair, at)
				reference, _ := world.Market().Reference(pair, at)
				fmt.Fprintln(sum, venue, pair, book, today, day, reference)
			}
		}
	}
	for i := range 1000 { // an account of each institution, and a draw
		fmt.Fprintln(sum, world.Account(institutions()[i%6], fmt.Sprintf("%010d", i)), world.Entropy())
	}
	w := wire.New(world)
	for _, q := range questions {
		sum.Write(inProcess(t, w, q))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != fingerprint {
		t.Errorf("the fingerprint is %s, want %s", got, fingerprint)
	}
}

// TestFingerprintOnOtherArchitectures builds TestFingerprint and TestServiceFingerprint for other processors, and runs them where this machine can.
func TestFingerprintOnOtherArchitectures(t *testing.T) {
	t.Parallel()
	here := sync.OnceValue(func() string { return newService(t).lived(t) })
	for _, env := range [][]string{{"GOARCH=amd64", "GOAMD64=v3"}, {"GOARCH=386"}} { // v1 is what TestFingerprint itself runs as
		name := strings.Join(env, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary := filepath.Join(t.TempDir(), "fingerprint.test")
			run(t, env, "go", "test", "-c", "-o", binary, ".")
			if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
				t.Logf("%s was built; it cannot run on %s/%s", name, runtime.GOOS, runtime.GOARCH)
				return
			}
			if missing := lacks(t, env, binary); missing != "" {
				t.Logf("%s was built; it did not run: %s", name, missing)
				return
			}
			out := run(t, env, binary, "-test.run=^Test(Service)?Fingerprint$", "-test.v")
			if !strings.Contains(out, "--- PASS: TestFingerprint ") {
				t.Errorf("%s: the fingerprint was not compared:\n%s", name, out)
			}
			if want := serviceFingerprint + here(); !strings.Contains(out, want) {
				t.Errorf("%s: want\n%s\ngot\n%s", name, want, out)
			}
		})
	}
}

// run runs a command in a changed environment, and fails the test with its output where it fails.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	out, err := command(t, env, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s %s: %v\n%s", strings.Join(env, " "), name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func command(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = append(os.Environ(), append([]string{"CGO_ENABLED=0", "GOOS=linux", "GOFLAGS="}, env...)...)
	return c
}

// lacks says why this machine cannot run a binary, or nothing where it can.
func lacks(t *testing.T, env []string, binary string) string {
	t.Helper()
	out, err := command(t, env, binary, "-test.list=^$").CombinedOutput()
	switch {
	case err == nil:
		return ""
	case strings.Contains(err.Error(), "exec format error"):
		return "the kernel does not run programs of this architecture"
	case strings.Contains(string(out), "This program can only be run on AMD64 processors"):
		return "the processor is too old"
	}
	t.Fatalf("%v\n%s", err, out)
	return ""
}
