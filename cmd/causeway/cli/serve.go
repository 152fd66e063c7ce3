package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
)

func serveCommand(o Options) *cobra.Command {
	var withStdin bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API: a sandbox by default",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // a SIGHUP before the reloader listens must not end the process
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			log, flush, err := o.NewLogger(cfg.Log)
			if err != nil {
				return err
			}
			defer flush()
			for _, w := range cfg.Warnings() {
				log.Warn(w.Problem, zap.String("setting", w.Key), zap.String("remedy", w.Remedy))
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			if withStdin {
				go func() {
					_, _ = io.Copy(io.Discard, cmd.InOrStdin())
					cancel()
				}()
			}
			return o.Serve(ctx, cfg, log)
		},
	}
	SettingFlags(cmd.Flags())
	cmd.Flags().BoolVar(&withStdin, "with-stdin", false, "stop when standard input is closed: for parent processes that must not leave it behind")
	return cmd
}
