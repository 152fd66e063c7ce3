package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// unmapBinary lets go of the pages of the running program that only its start needed, two thirds of them: read-only pages of a file, which the kernel has
// back in microseconds where they are needed again. Until then they count as memory of the process.
func unmapBinary() error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	var from, to uintptr // of the mapping whose lines are being read; 0: it is none of ours
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		var start, end uintptr
		var mode, offset, device, file string
		var inode, changed uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %s %s %d %s", &start, &end, &mode, &offset, &device, &inode, &file); n > 4 {
			from, to = 0, 0
			if file == path && (mode == "r-xp" || mode == "r--p") {
				from, to = start, end
			}
			continue
		}
		if n, _ := fmt.Sscanf(lines.Text(), "Anonymous: %d kB", &changed); n == 0 || from == 0 || changed > 0 { // what a loader wrote is in no file
			continue
		}
		if _, _, failed := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); failed != 0 {
			return failed
		}
	}
	return nil
}
