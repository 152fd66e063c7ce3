package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
	"causeway/simulator/receivers"
)

// putReceiver is the body of a receiver.
type putReceiver struct {
	URL     string   `json:"url"`
	Secret  string   `json:"secret,omitempty"`
	Account string   `json:"account,omitempty"`
	Events  []string `json:"events,omitempty"`
}

var receiverView = cli.NewView("NAME,URL,ACCOUNT,EVENTS,SECRET", func(t *cli.Table, r receivers.Receiver) {
	t.Row(r.Name, r.URL, r.Account, r.Events, r.Secret)
})

// webhookGroup are the commands about the receivers of events.
var webhookGroup = group{"webhook", "Send the events of a world to a server, or print them", []call{
	{use: "list", short: "List the receivers", request: "GET /worlds/{world}/webhooks", view: receiverView},
	{
		use: "put NAME URL [secret=…] [account=…]", short: "Add a receiver, or replace it", args: cobra.MinimumNArgs(2),
		example: "  causeway sim webhook put shop http://127.0.0.1:3000/webhooks",
		request: "PUT /worlds/{world}/webhooks/{}", body: members[putReceiver]("url"), view: receiverView,
	},
	{
		use: "remove NAME", short: "Remove a receiver", args: cobra.ExactArgs(1),
		request: "DELETE /worlds/{world}/webhooks/{}", view: receiverView,
	},
}}

// listen returns causeway sim webhook listen.
func (s *sim) listen() *cobra.Command {
	var (
		name, address string
		body          putReceiver
	)
	cmd := &cobra.Command{
		Use: "listen", Short: "Receive the events of a world and print them with their signatures checked", Args: cli.NoArgs,
		Long: "Receives the events of a world until it is interrupted, and prints each with the verdict about its\n" +
			"signature. With -o json it prints each event as one line of JSON. A sandbox on another machine needs a URL\n" +
			"that leads here: --address 0.0.0.0:3000 --url http://this-machine:3000.",
		Example: "  causeway sim webhook listen\n  causeway sim webhook listen --world TestCheckout -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var config net.ListenConfig
			listener, err := config.Listen(cmd.Context(), "tcp", address)
			if err != nil {
				return err
			}
			body.URL = cmp.Or(body.URL, "http://"+listener.Addr().String())
			return s.receive(cmd, listener, name, body)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "listen", "name of the receiver")
	flags.StringVar(&address, "address", "127.0.0.1:0", "address to listen on")
	flags.StringVar(&body.URL, "url", "", "URL that the sandbox sends to; by default that address")
	flags.StringVar(&body.Account, "account", "", "account whose events to receive; by default requests without a key")
	return cmd
}

// receive prints what arrives at a listener until the command is interrupted.
func (s *sim) receive(cmd *cobra.Command, listener net.Listener, name string, body putReceiver) error {
	const timeout = 5 * time.Second
	path := "/webhooks/" + url.PathEscape(name)
	var receiver receivers.Receiver
	if err := s.call(cmd, http.MethodPut, path, body, &receiver); err != nil {
		return errors.Join(err, listener.Close())
	}
	verify, err := standardwebhooks.NewWebhook(receiver.Secret)
	if err != nil {
		return err
	}
	receive := func(w http.ResponseWriter, r *http.Request) {
		printWebhook(cmd, verify, r)
		w.WriteHeader(http.StatusNoContent)
	}
	server := &http.Server{ReadHeaderTimeout: timeout, Handler: http.HandlerFunc(receive)}
	if !cli.WantsJSON(cmd) {
		cmd.Printf("Receiving the events of the world %s at %s. To cause some, in another terminal:\n"+
			"  causeway sim deposit --currency BTC --amount 0.01 --profile user-1 --mine\n", s.World, receiver.URL)
	}
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	err = server.Serve(listener)
	if cmd.Context().Err() == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), timeout)
	defer cancel()
	// An error is likely to mean that the world is gone.
	_, _ = s.Data(ctx, cli.Call{Method: http.MethodDelete, Path: control.Prefix + s.worldPath(path)})
	return nil
}

// printWebhook prints a webhook.
func printWebhook(cmd *cobra.Command, verify *standardwebhooks.Webhook, r *http.Request) {
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(r.Body, most))
	if err != nil {
		return
	}
	verdict := "signature valid"
	if err := verify.Verify(text, r.Header); err != nil {
		verdict = "SIGNATURE NOT VALID: " + err.Error()
	}
	var event struct {
		ID, Type string
		Data     struct {
			Amount, Currency, Network string
			Revision                  int
		}
	}
	if err := json.Unmarshal(text, &event); err != nil {
		verdict = "not an event"
	}
	if cli.WantsJSON(cmd) {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text) // without line breaks
		return
	}
	_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s %s on %s, revision %d  %s\n", event.ID, event.Type,
		event.Data.Amount,
		event.Data.Currency, event.Data.Network, event.Data.Revision, verdict)
}
