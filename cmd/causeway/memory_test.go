package main

import (
	"runtime/debug"
	"testing"
	"testing/fstest"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestTheMemoryThatTheKernelAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a container of version 2": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"a unit, limited itself":   {map[string]string{"proc/self/cgroup": "0::/system.slice/causeway.service\n", "sys/fs/cgroup/system.slice/causeway.service/memory.max": "268435456\n"}, 256 << 20},
		"the least on the way up counts": {map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "300\n", "sys/fs/cgroup/a/memory.max": "200\n", "sys/fs/cgroup/memory.max": "400\n",
		}, 200},
		"no limit in version 2": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"version 1": {map[string]string{
			"proc/self/cgroup": "12:cpu,cpuacct:/x\n7:memory:/docker/ab\n0::/\n", "sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes": "134217728\n",
		}, 128 << 20},
		"version 1 in a container, named as the host sees it": {map[string]string{
			"proc/self/cgroup": "7:memory:/docker/ab\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n",
		}, 128 << 20},
		"no limit in version 1": {map[string]string{"proc/self/cgroup": "7:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"nonsense":              {map[string]string{"proc/self/cgroup": "what\n0::/../..\n", "sys/fs/cgroup/memory.max": "-5\n"}, 0},
		"another system":        {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{}
			for path, text := range c.files {
				root[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := allowedMemory(root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestTheCollectorKnowsTheLimit(t *testing.T) { //nolint:paralleltest // it sets what the whole process goes by
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	logs, seen := observer.New(zapcore.InfoLevel)
	limitMemory(fstest.MapFS{}, zap.New(logs))
	if now := debug.SetMemoryLimit(-1); now != before || seen.Len() > 0 {
		t.Errorf("without a control group: %d, %v", now, seen.All())
	}
	group := func(limit string) fstest.MapFS {
		return fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/\n")}, "sys/fs/cgroup/memory.max": {Data: []byte(limit)}}
	}
	limitMemory(group("2000000000"), zap.New(logs))
	if now := debug.SetMemoryLimit(-1); now != 1_800_000_000 || seen.FilterLevelExact(zapcore.WarnLevel).Len() > 0 {
		t.Errorf("of 2 GB: %d, %v", now, seen.All())
	}
	limitMemory(group("80000000"), zap.New(logs))
	if seen.FilterMessageSnippet("little memory").Len() != 1 {
		t.Errorf("of 80 MB: %v", seen.All())
	}
}
