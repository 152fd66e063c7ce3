package cli

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/storage"
	"causeway/adapters/webhooks"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

func webhooksCommand() *cobra.Command {
	cmd := Group("webhooks", "Show and repeat the webhooks that endpoints received, and send them a test",
		listWebhooks(), listDeliveries(), replayWebhooks(), testWebhook())
	cmd.Long = "Uses the endpoints of webhooks in the configuration, and the database that state.dir or storage.url\n" +
		"names. " +
		"Processes may run meanwhile: they send what these commands add. See docs/webhooks.md."
	cmd.PersistentFlags().String("config", "", "YAML file of settings")
	OutputFlag(cmd.PersistentFlags())
	return cmd
}

// withWebhooks lets a command run with the deliveries of the installation.
func withWebhooks(
	cmd *cobra.Command,
	run func(cmd *cobra.Command, args []string, endpoints webhooks.Config, store ports.DeliveryStore) error,
) *cobra.Command {
	return withDatabase(cmd, checkWebhooks,
		func(cmd *cobra.Command, args []string, cfg config.Config, store *storage.Store) error {
			return run(cmd, args, cfg.Webhooks, store.Transactions().Deliveries())
		})
}

// checkWebhooks returns what a configuration lacks for commands about webhooks.
func checkWebhooks(cfg config.Config) error {
	if len(cfg.Webhooks) == 0 {
		return errors.New("no endpoint is configured: set webhooks.NAME.url, .account and .secret; see docs/webhooks.md")
	}
	return cfg.Webhooks.Check()
}

// findEndpoint returns an endpoint by the name in an argument.
func findEndpoint(endpoints webhooks.Config, name string) (ports.WebhookEndpoint, error) {
	all := endpoints.Endpoints()
	i := slices.IndexFunc(all, func(e ports.WebhookEndpoint) bool { return e.Name == name })
	if i < 0 {
		return ports.WebhookEndpoint{}, fmt.Errorf("there is no endpoint %q; configured: %s", name,
			strings.Join(slices.Sorted(maps.Keys(endpoints)), ", "))
	}
	return all[i], nil
}

// webhookJSON is an endpoint in JSON output.
type webhookJSON struct {
	Name    string           `json:"name"`
	Account string           `json:"account"`
	Host    string           `json:"host"`
	Events  []core.EventType `json:"events"`
	Pending int64            `json:"pending"`
	Oldest  time.Time        `json:"oldest_undelivered,omitzero"`
	Expired int64            `json:"expired"`
	Problem string           `json:"problem,omitempty"`
}

var webhookView = NewView("NAME,ACCOUNT,HOST,EVENTS,PENDING,OLDEST,EXPIRED,PROBLEM", func(t *Table, e webhookJSON) {
	types := any(e.Events)
	if len(e.Events) == 0 {
		types = "all"
	}
	t.Row(e.Name, e.Account, e.Host, types, e.Pending, e.Oldest, e.Expired, e.Problem)
})

func listWebhooks() *cobra.Command {
	cmd := withWebhooks(&cobra.Command{
		Use:   "list",
		Short: "Show the endpoints, and what they have not received",
		Long: "Shows each endpoint with the number of events that it has not received, the time of the oldest one, the\n" +
			"deliveries that expired in the last 30 days, and why the last try failed.",
		Args: NoArgs,
	}, func(cmd *cobra.Command, _ []string, endpoints webhooks.Config, store ports.DeliveryStore) error {
		documents := []webhookJSON{}
		for _, e := range endpoints.Endpoints() {
			backlog, err := store.Backlog(cmd.Context(), e)
			if err != nil {
				return err
			}
			documents = append(documents, webhookJSON{
				Name: e.Name, Account: e.Account, Host: endpoints[e.Name].Host(), Events: append([]core.EventType{}, e.Types...),
				Pending: backlog.Pending, Oldest: backlog.Oldest, Expired: backlog.Expired, Problem: backlog.Problem,
			})
		}
		return printView(cmd, documents, webhookView)
	})
	WideFlag(cmd.Flags())
	return cmd
}

// deliveryJSON is a delivery in JSON output.
type deliveryJSON struct {
	Endpoint    string              `json:"endpoint"`
	Event       string              `json:"event"`
	Type        core.EventType      `json:"type"`
	Transaction string              `json:"transaction"`
	Time        time.Time           `json:"timestamp"`
	Status      core.DeliveryStatus `json:"status"`
	Tries       int                 `json:"tries"`
	Tried       time.Time           `json:"last_try,omitzero"`
	Due         time.Time           `json:"next_try,omitzero"`
	Problem     string              `json:"problem,omitempty"`
}

var deliveryView = NewView("TIME,ENDPOINT,TYPE,STATUS,TRIES,LAST TRY,NEXT TRY,EVENT,PROBLEM",
	func(t *Table, d deliveryJSON) {
		t.Row(d.Time, d.Endpoint, d.Type, d.Status, d.Tries, d.Tried, d.Due, d.Event, d.Problem)
	}).Optional("LAST TRY", "TIME", "NEXT TRY", "TRIES")

func listDeliveries() *cobra.Command {
	const most = 1000
	var (
		query  ports.DeliveryQuery
		status string
	)
	cmd := withWebhooks(&cobra.Command{
		Use:   "deliveries",
		Short: "List deliveries of events to endpoints, the newest events first",
		Example: "  causeway webhooks deliveries --status expired\n" +
			"  causeway webhooks deliveries --endpoint shop --limit 20 -o json",
		Args: NoArgs,
	}, func(cmd *cobra.Command, _ []string, endpoints webhooks.Config, store ports.DeliveryStore) error {
		if query.Limit < 1 || query.Limit > most {
			return UsageError("--limit is %d; accepted: 1 to %d", query.Limit, most)
		}
		if query.Endpoint != "" {
			if _, err := findEndpoint(endpoints, query.Endpoint); err != nil {
				return err
			}
		}
		query.Status = core.DeliveryStatus(status)
		all, err := store.Deliveries(cmd.Context(), query)
		if err != nil {
			return err
		}
		documents := []deliveryJSON{}
		for _, d := range all {
			document := deliveryJSON{
				Endpoint: d.Endpoint, Event: d.Event.ID, Type: d.Event.Type, Transaction: d.Event.Transaction.ID,
				Time: d.Event.Transaction.Updated, Status: d.Status, Tries: d.Tries, Tried: d.Updated, Problem: d.Problem,
			}
			if d.Status == core.DeliveryPending {
				document.Due = d.Due
			}
			documents = append(documents, document)
		}
		return printView(cmd, documents, deliveryView)
	})
	EnumVar(cmd.Flags(), &status, "status", "", "", "status of the deliveries (default: all)",
		string(core.DeliveryPending), string(core.DeliveryDelivered), string(core.DeliveryExpired))
	cmd.Flags().StringVar(&query.Endpoint, "endpoint", "", "name of the endpoint (default: all)")
	cmd.Flags().IntVar(&query.Limit, "limit", 100, "most deliveries, 1 to 1000")
	WideFlag(cmd.Flags())
	return cmd
}

func replayWebhooks() *cobra.Command {
	var since string
	cmd := withWebhooks(&cobra.Command{
		Use:   "replay NAME --since DURATION|TIME",
		Short: "Send the events of the last hours or days again, also those that were delivered or expired",
		Long: "Makes all deliveries to an endpoint of events since a time pending, also of events before the endpoint\n" +
			"was configured, and for three days again. The running processes send them. Receivers drop repetitions by\n" +
			"the header webhook-id, which stays the same.",
		Example: "  causeway webhooks replay shop --since 2h\n  causeway webhooks replay shop --since 2026-11-23T08:00:00Z",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, endpoints webhooks.Config, store ports.DeliveryStore) error {
		now := time.Now().UTC().Truncate(time.Microsecond)
		from, err := parseSince(since, now)
		if err != nil {
			return err
		}
		endpoint, err := findEndpoint(endpoints, args[0])
		if err != nil {
			return err
		}
		n, err := store.Replay(cmd.Context(), endpoint, from, now)
		if err != nil {
			return err
		}
		return PrintResult(cmd, map[string]any{"endpoint": endpoint.Name, "since": from, "replayed": n},
			"%d events since %s are sent to %s again.", n, from.Format(time.RFC3339), endpoint.Name)
	})
	cmd.Flags().StringVar(&since, "since", "", "how long ago, such as 2h or 3d, or a time such as 2026-11-23T08:00:00Z")
	_ = cmd.MarkFlagRequired("since")
	return cmd
}

// parseSince reads a duration before now, or a time.
func parseSince(text string, now time.Time) (time.Time, error) {
	from, err := time.Parse(time.RFC3339, text)
	if err != nil {
		ago, err := config.ParseDuration(text)
		if err != nil {
			return time.Time{}, UsageError("--since is %q; accepted: a duration such as 2h or 3d, "+
				"or a time such as 2026-11-23T08:00:00Z", text)
		}
		from = now.Add(-ago)
	}
	if !from.Before(now) {
		return time.Time{}, UsageError("--since is %q, which is not in the past", text)
	}
	return from.UTC(), nil
}

// testJSON is the result of causeway webhooks test.
type testJSON struct {
	Endpoint string  `json:"endpoint"`
	Host     string  `json:"host"`
	Event    string  `json:"event"`
	Status   int     `json:"status,omitempty"` // of the response; 0: none
	Seconds  float64 `json:"seconds"`
	Problem  string  `json:"problem,omitempty"`
}

func testWebhook() *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Send an endpoint an event of type webhook.test, and print what it answers",
		Long: "Sends one signed event of type webhook.test with an id of its own and no data to an endpoint, once. It is\n" +
			"not stored, and about no transaction, so that no receiver credits anything.",
		Example: "  causeway webhooks test shop",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.Load(config.Sources{File: cmd.Flag("config").Value.String(), Env: os.Environ()})
			if lacking := checkWebhooks(cfg); lacking != nil { // other faults do not matter
				return cmp.Or(err, lacking)
			}
			endpoint, err := findEndpoint(cfg.Webhooks, args[0])
			if err != nil {
				return err
			}
			result, err := sendTest(cmd, cfg, endpoint.Name)
			if err != nil {
				return err
			}
			if result.Problem != "" && !WantsJSON(cmd) {
				return fmt.Errorf("%s (%s) %s", result.Endpoint, result.Host, result.Problem)
			}
			err = PrintResult(cmd, result, "%s (%s) answered %d after %.3f s.", result.Endpoint, result.Host, result.Status,
				result.Seconds)
			if result.Problem != "" {
				err = errors.Join(err, errors.New(result.Problem))
			}
			return err
		},
	}
}

// sendTest sends a test event to an endpoint.
func sendTest(cmd *cobra.Command, cfg config.Config, endpoint string) (testJSON, error) {
	sender, err := webhooks.New(cfg.Webhooks, webhooks.Options{
		Clock: time.Now, Version: cmd.Root().Version, Listeners: app.OwnListeners(cfg),
	})
	if err != nil {
		return testJSON{}, err
	}
	const idBytes = 16
	random := make([]byte, idBytes)
	_, _ = rand.Read(random) // never fails
	result := testJSON{Endpoint: endpoint, Host: cfg.Webhooks[endpoint].Host(), Event: "evt_" + hex.EncodeToString(random)}
	start := time.Now()
	body, err := json.Marshal(map[string]any{
		"id": result.Event, "type": "webhook.test", "timestamp": start.UTC().Truncate(time.Millisecond),
		"user_id": cfg.Webhooks[endpoint].Account, "data": struct{}{},
	})
	if err != nil {
		return testJSON{}, err
	}
	result.Status, err = sender.Post(cmd.Context(), endpoint, result.Event, body)
	result.Seconds = time.Since(start).Seconds()
	if problem, ok := errors.AsType[*core.Error](err); ok {
		result.Problem, err = problem.Message, nil
	}
	return result, err
}
