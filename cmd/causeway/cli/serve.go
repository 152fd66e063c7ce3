package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

func serveCommand(build Build) *cobra.Command {
	var withStdin bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API: a sandbox by default",
		Long: `Serves the API, and health, metrics and debug pages on the operator listener. A sandbox simulates
every bank, name and price, and adds a console and a control API.

Once both listeners accept connections, one line on standard error shows the version, the mode, the
configuration file and the URLs.`,
		Example: "  causeway serve\n  causeway serve --mode production --config /etc/causeway/causeway.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A SIGHUP before the reloader listens must not end the process.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			log, flush, err := app.NewLogger(cfg.Log)
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
			return app.Serve(ctx, cfg, app.Version(build.Version), log, func(public, operator net.Addr) {
				announce(cmd.ErrOrStderr(), log, newBanner(build, cfg, public, operator), app.LogsText(cfg.Log))
			})
		},
	}
	SettingFlags(cmd.Flags())
	cmd.Flags().BoolVar(&withStdin, "with-stdin", false,
		"stop when standard input is closed, for a parent process that must not leave it running")
	return cmd
}

// banner is what a start reports.
type banner struct{ version, mode, file, api, docs, console string }

func newBanner(build Build, cfg config.Config, public, operator net.Addr) banner {
	api := app.Origin(public.String())
	if cfg.TLS.On() {
		api = "https" + api[len("http"):]
	}
	b := banner{version: build.Version, mode: string(cfg.Mode), file: cfg.File(), api: api, docs: api + "/docs"}
	if cfg.Mode == config.Sandbox {
		b.console = app.Origin(operator.String()) + "/console"
	}
	return b
}

// announce writes the banner as a line of text, or as an entry of a log in JSON.
func announce(out io.Writer, log *zap.Logger, b banner, text bool) {
	if !text {
		log.Info("serving", zap.String("version", b.version), zap.String("mode", b.mode), zap.String("config_file", b.file),
			zap.String("api", b.api), zap.String("docs", b.docs), zap.String("console", b.console))
		return
	}
	line := fmt.Sprintf("causeway %s, %s, %s, API %s, docs %s", b.version, b.mode,
		cmp.Or(b.file, "no configuration file"), b.api, b.docs)
	if b.console != "" {
		line += ", console " + b.console
	}
	_, _ = fmt.Fprintln(out, line)
}
