package sim

import (
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
)

// Recording is what is to be recorded.
type Recording struct {
	Sources []string
	Lasts   time.Duration
	Every   time.Duration
}

func (s *sim) record() *cobra.Command {
	r := Recording{Lasts: time.Minute, Every: 5 * time.Second}
	cmd := &cobra.Command{
		Use: "record SOURCE…", Short: "Ask sources of prices as the service does, and print their answers as a tape", Args: cobra.MinimumNArgs(1),
		Long: `Asks sources of prices what a process of this configuration asks them (causeway serve --mode production), for a while, and prints each answer as a line of a
tape. What is printed are public prices: no key, no account, no header but those that matter. A source is never asked more often than its limits allow.

It asks by itself: no running process is needed, and none is changed.`,
		Example: "  causeway sim tape record kraken coinbase --mode production --for 2m > btc.jsonl\n  causeway sim tape play btc.jsonl lasts=2m recorded=2026-11-21T12:00:00Z",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := cli.LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			log, stop, err := s.options.NewLogger(cfg.Log)
			if err != nil {
				return err
			}
			defer stop()
			r.Sources = args
			return s.options.Record(cmd.Context(), r, cfg, log, cmd.OutOrStdout())
		},
	}
	cli.SettingFlags(cmd.Flags())
	cmd.Flags().DurationVar(&r.Lasts, "for", r.Lasts, "how long")
	cmd.Flags().DurationVar(&r.Every, "every", r.Every, "how often each source is asked, if its limits allow")
	return cmd
}
