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
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		var from, to uintptr
		var mode, offset, device, file string
		var inode uint64
		n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %s %s %d %s", &from, &to, &mode, &offset, &device, &inode, &file)
		if n < 7 || file != path || mode != "r-xp" && mode != "r--p" { // what was written to is in no file
			continue
		}
		if _, _, failed := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); failed != 0 {
			return failed
		}
	}
	return nil
}
