package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
)

// makeSums writes the checksums of all that is in dist, and lets sha256sum check them where there is one.
func (m *maker) makeSums(ctx context.Context) error {
	entries, err := os.ReadDir(m.dist)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, e := range entries {
		sum, err := sumOf(m.asset(e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	if err := os.WriteFile(m.asset("SHA256SUMS"), text.Bytes(), 0o644); err != nil { //nolint:gosec // to be handed out
		return err
	}
	if !has("sha256sum") {
		m.leave("SHA256SUMS: sha256sum is not installed")
		return nil
	}
	if _, err := command(ctx, m.dist, nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"); err != nil {
		return err
	}
	m.passed("checksums of %d files", len(entries))
	return nil
}
