package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// command runs a program in a directory, with variables beside those of this process, and returns what it prints. An error has all that it said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // names and arguments are those of this program
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.Bytes(), said.Bytes())
	}
	return out.Bytes(), nil
}

// has reports whether the machine has a program.
func has(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
