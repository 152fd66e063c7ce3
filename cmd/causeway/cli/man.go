package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand(build Build) *cobra.Command {
	return &cobra.Command{
		Use: "man DIRECTORY", Short: "Write a manual page for every command",
		Long:    "Writes the manual pages of section 1, one file for each command, into a directory.",
		Example: "  causeway man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Section: "1", Source: "causeway " + build.Version, Manual: "Causeway"}
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}
