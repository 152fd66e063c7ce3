package test_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"causeway/clients/go/sandbox"
)

// TestServe_HangupDuringStart sends SIGHUP while the process reads its settings, which come through
// a pipe and are wrong. The process must survive to report them.
func TestServe_HangupDuringStart(t *testing.T) {
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "causeway.yaml")
	if err := syscall.Mkfifo(settings, 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, "serve")
	cmd.Env, cmd.Stdout, cmd.Stderr = append(sandbox.Clean(os.Environ()), "CAUSEWAY_CONFIG="+settings), &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(settings, os.O_WRONLY, 0) // as soon as it reads
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_, _ = pipe.WriteString("lisen: :1\n")
	_ = pipe.Close()
	if err := cmd.Wait(); err == nil || !strings.Contains(output.String(), "lisen") {
		t.Errorf("exit %v, output %q", err, output.String())
	}
}
