package main

import (
	"bufio"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"go.uber.org/zap"
)

// Of what the kernel allows us a tenth is left to what Go's collector does not know of: stacks of the kernel, mapped files, the page cache of a
// database.
const (
	memorySpare = 10
	leastMemory = 80 << 20 // what it takes under load
	noMemory    = 1 << 50  // version 1 says "no limit" by a number of its own; no machine has a petabyte
)

// limitMemory has Go's collector work harder before the kernel would end the process.
func limitMemory(root fs.FS, log *zap.Logger) {
	allowed := allowedMemory(root)
	if allowed == 0 {
		return
	}
	limit := allowed - allowed/memorySpare
	debug.SetMemoryLimit(limit)
	log.Info("the memory of this process is limited", zap.Int64("control_group", allowed), zap.Int64("collector", limit))
	if limit < leastMemory {
		log.Warn("this process has little memory: it will spend much of its time on freeing some", zap.Int64("bytes", limit), zap.Int64("usual_under_load", leastMemory))
	}
}

// allowedMemory is what the kernel allows this process's control group, in bytes; 0 where it does not say, or allows any. root is the file system.
// Of both versions of control groups the least limit on the way up counts. In a container the group may be named as the host sees it: then what
// is mounted is its own.
func allowedMemory(root fs.FS) int64 {
	groups, err := root.Open("proc/self/cgroup")
	if err != nil {
		return 0
	}
	defer func() { _ = groups.Close() }()
	least := int64(math.MaxInt64)
	for lines := bufio.NewScanner(groups); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), ":", 3) // hierarchy:controllers:path
		if len(parts) != 3 {
			continue
		}
		mount, file := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			mount, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+parts[1]+",", ",memory,"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if limit := memoryIn(root, path.Join(mount, group, file)); limit > 0 {
				least = min(least, limit)
			}
			if group == "/" {
				break
			}
		}
	}
	if least >= noMemory {
		return 0
	}
	return least
}

// memoryIn reads a limit; 0 where there is none.
func memoryIn(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // or "max"
	if err != nil {
		return 0
	}
	return limit
}
