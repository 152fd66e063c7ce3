package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
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
		Args:    NoArgs,
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
				announce(cmd.ErrOrStderr(), log, build.Version, cfg, public, operator)
			})
		},
	}
	SettingFlags(cmd.Flags())
	cmd.Flags().BoolVar(&withStdin, "with-stdin", false,
		"stop when standard input is closed, for a parent process that must not leave it running")
	return cmd
}

// announce writes what was started as a line of text, or as an entry of a log in JSON.
func announce(out io.Writer, log *zap.Logger, version string, cfg config.Config, public, operator net.Addr) {
	api, console := app.Origin(public.String()), ""
	if cfg.TLS.On() {
		api = "https" + api[len("http"):]
	}
	if cfg.Mode == config.Sandbox {
		console = app.Origin(operator.String()) + "/console"
	}
	if !app.LogsText(cfg.Log) {
		log.Info("serving", zap.String("version", version), zap.String("mode", string(cfg.Mode)),
			zap.String("config_file", cfg.File()), zap.String("api", api), zap.String("docs", api+"/docs"),
			zap.String("console", console))
		return
	}
	line := fmt.Sprintf("causeway %s, %s, %s, API %s, docs %s/docs", version, cfg.Mode,
		cmp.Or(cfg.File(), "no configuration file"), api, api)
	if console != "" {
		line += ", console " + console
	}
	if ip, err := netip.ParseAddrPort(public.String()); err == nil && ip.Addr().IsLoopback() {
		line += fmt.Sprintf(" (this machine only; --listen :%d opens the API to others)", ip.Port())
	}
	_, _ = fmt.Fprintln(out, line)
}
