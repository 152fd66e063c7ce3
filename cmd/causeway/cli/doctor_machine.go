package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"causeway/config"
)

const (
	leastMemory = 80 << 20  // what a process takes under load
	leastFree   = 256 << 20 // bytes; below this writing is about to end
	littleFree  = 1 << 30
	othersRead  = 0o077 // bits of a mode that let others in
	fewFiles    = 4096  // connections that a busy process has open, with some room
	leastFiles  = 1024
	smallMemory = 192 << 20
	expiresSoon = 14 * 24 * time.Hour
	megabyte    = 1 << 20
)

// stateDir looks whether what is to survive the process can be written.
func (d *Doctor) stateDir(context.Context) []Finding {
	const check = "state directory"
	dir := d.cfg.State.Dir
	if dir == "" {
		return []Finding{{check, Skipped, "none is configured: nothing survives the process", ""}}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(filepath.Clean(dir))); err != nil {
			return []Finding{{check, Broken, dir + " does not exist, nor does what it would be in", "make it, owned by the user that causeway runs as, with mode 0700"}}
		}
		return []Finding{{check, Worrying, dir + " does not exist", "causeway makes it if it may; else make it, owned by the user that causeway runs as, with mode 0700"}}
	case err != nil:
		return []Finding{{check, Broken, err.Error(), "let the user that causeway runs as into it"}}
	case !info.IsDir():
		return []Finding{{check, Broken, dir + " is no directory", "set state.dir to a directory"}}
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return []Finding{{check, Broken, dir + " cannot be written to by this user", "give it to the user that causeway runs as, and run doctor as that user"}}
	}
	_, _ = probe.Close(), os.Remove(probe.Name())
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return []Finding{{check, Worrying, "the room on its disk cannot be told", "look with df"}}
	}
	free := disk.Bavail * uint64(disk.Bsize) //nolint:gosec // a size of blocks is above 0
	found := Finding{check, Fine, fmt.Sprintf("%s can be written to; %d MB are free", dir, free/megabyte), ""}
	switch {
	case free < leastFree:
		found.State, found.Do = Broken, "make room: the price history cannot be written without it"
	case free < littleFree:
		found.State, found.Do = Worrying, "make room before it is full"
	case info.Mode().Perm()&othersRead != 0:
		found.State, found.Found, found.Do = Worrying, fmt.Sprintf("%s is open to others (%s)", dir, info.Mode().Perm()), "chmod 0700 "+dir
	}
	return []Finding{found}
}

// resolution looks whether strangers may ask for the names of account holders, wherever the keys of callers are.
func (d *Doctor) resolution(context.Context) []Finding {
	const check, operation = "account resolution", "resolve-account"
	switch {
	case d.cfg.Mode != config.Production:
		return []Finding{{check, Skipped, "a sandbox knows nobody", ""}}
	case !slices.Contains(d.cfg.KeyedOperations(), operation):
		return []Finding{{check, Worrying, "it is open to whoever reaches this process", "set auth.resolution to required, unless the network in front keeps strangers out"}}
	}
	return []Finding{{check, Fine, "it needs a key", ""}}
}

// descriptors looks how many files and connections a process may have open.
func (*Doctor) descriptors(context.Context) []Finding {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return []Finding{{"open files", Worrying, "the limit cannot be told", "look with ulimit -n"}}
	}
	return []Finding{judgeFiles(limit.Max)} // a process of Go takes what it may have
}

func judgeFiles(most uint64) Finding {
	found := Finding{"open files", Fine, fmt.Sprintf("a process may have %d open", most), ""}
	const do = "raise it: LimitNOFILE= of the unit, ulimit -n, or nofile of the container"
	switch {
	case most < leastFiles:
		found.State, found.Do = Broken, do
	case most < fewFiles:
		found.State, found.Do = Worrying, do
	}
	return found
}

// memory looks how much memory the control group leaves.
func (*Doctor) memory(context.Context) []Finding {
	limit, err := memlimit.FromCgroup()
	if err != nil { // memlimit.ErrNoLimit, or a system without control groups
		return []Finding{judgeMemory(0)}
	}
	return []Finding{judgeMemory(limit)}
}

// judgeMemory judges a limit in bytes; 0: there is none.
func judgeMemory(limit uint64) Finding {
	if limit == 0 {
		return Finding{"memory", Fine, "no control group limits it", ""}
	}
	found := Finding{"memory", Fine, fmt.Sprintf("the control group has %d MiB", limit/megabyte), ""}
	switch {
	case limit < leastMemory:
		found.State, found.Do = Broken, "give it 256 MiB: the process would be killed"
	case limit < smallMemory:
		found.State, found.Do = Worrying, "give it 256 MiB"
	}
	return found
}
