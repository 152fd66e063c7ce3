package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Build describes the running binary.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// NewBuild describes this binary. The version is set by the linker, or otherwise derived by the Go command from the
// repository.
func NewBuild(version string) Build {
	b := Build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Time = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if b.Version == "" {
		b.Version = "dev"
	}
	return b
}

// String is the version on one line.
func (b Build) String() string {
	commit := ""
	if b.Commit != "" {
		commit = fmt.Sprintf(" (commit %.12s of %s)", b.Commit, b.Time)
	}
	return fmt.Sprintf("causeway %s%s %s %s", b.Version, commit, b.Go, b.Platform)
}

func versionCommand(b Build) *cobra.Command {
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return PrintResult(cmd, b, "%s", b)
		},
	}
	OutputFlag(cmd.Flags())
	return cmd
}
