package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// residentFiles is how much of the files that are mapped is in memory, in KiB.
func residentFiles(t *testing.T) (kib int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

func TestTheBinaryIsUnmapped(t *testing.T) { //nolint:paralleltest // others would need their pages meanwhile
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	size, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before := int(size.Size() >> 10)
	if err := unmapBinary(); err != nil {
		t.Fatal(err)
	}
	if after := residentFiles(t); after > before/3 {
		t.Errorf("of %d KiB %d are mapped", before, after)
	}
}
