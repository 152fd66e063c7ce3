package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/clients/go/api"
)

const (
	silence      = 45 * time.Second // ends a connection: the server sends something every 15 seconds
	maxReconnect = 30 * time.Second
	streamPath   = "/v1/pairs/stream"
	wideLine     = 74 // characters of a line with all columns
)

var errEnough = errors.New("all events were printed")

// watch prints the price stream of a server.
type watch struct {
	Client

	cmd    *cobra.Command
	query  url.Values
	events int    // to print; 0: all
	lastID string // of the last event
	lost   int    // connections since then
}

func watchCommand() *cobra.Command {
	w := &watch{}
	cmd := &cobra.Command{
		Use: "watch [PAIR]", Short: "Follow prices",
		Long: "Prints all pairs that pass the filters, and then pairs that change. A lost connection is replaced, and the\n" +
			"output continues with what changed since. -o json prints one event a line." + exitCodes,
		Example: "  causeway watch BTCNGN\n" +
			"  causeway watch --counter NGN --type stablecoins\n" +
			"  causeway watch --events 1 -o csv > prices.csv",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: w.completePairs,
	}
	values := addParameters(cmd, pairFilters)
	cmd.Flags().IntVar(&w.events, "events", 0, "end after so many events (default: never)")
	w.addFlags(cmd.Flags())
	cmd.Annotations = map[string]string{endpointAnnotation: http.MethodGet + " " + streamPath}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if w.events < 0 {
			return UsageError("--events is %d; accepted: 1 or more, or 0 to end never", w.events)
		}
		w.cmd, w.query = cmd, values()
		for _, id := range args {
			w.query.Set("id", pairID(id))
		}
		return w.run(cmd.Context())
	}
	return cmd
}

// run prints events until there are enough, the server rejects the request, or the first connection fails.
func (w *watch) run(ctx context.Context) error {
	for ; ; w.lost++ {
		err := w.connect(ctx)
		if errors.Is(err, errEnough) {
			return nil
		}
		if _, rejected := errors.AsType[*ExitError](err); rejected || w.lastID == "" || ctx.Err() != nil {
			return err
		}
		wait := min(time.Duration(w.lost)*time.Second, maxReconnect)
		w.cmd.PrintErrf("The stream was interrupted: %v; reconnecting in %v.\n", err, wait)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// connect prints the events of one connection and returns why it ended.
func (w *watch) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	header := http.Header{}
	if w.lastID != "" {
		header.Set("Last-Event-ID", w.lastID)
	}
	call := Call{
		Wording: NewWording(w.cmd, nil), Method: http.MethodGet, Path: streamPath, Query: w.query, Header: header,
	}
	resp, err := w.open(ctx, call)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return w.foreign(resp, call)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxResponse)
	id, name := "", ""
	for lines.Scan() {
		watchdog.Reset(silence)
		switch field, value, _ := strings.Cut(lines.Text(), ": "); field {
		case "id":
			id = value
		case "event":
			name = value
		case "data": // the last line of an event
			if err := w.print(id, name, json.RawMessage(value)); err != nil {
				return err
			}
			w.lastID, w.lost = id, min(w.lost, 1) // the second and later reconnections wait
			if w.events--; w.events == 0 {
				return errEnough
			}
		}
	}
	return cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
}

var watchView = NewView("TIME,PAIR,BUY,SELL,CURRENCY,STATUS", func(t *Table, p api.Pair) {
	at := p.UpdatedAt.Format("2006-01-02T15:04:05.000Z07:00") // as the server writes it
	t.Row(at, p.ID, p.BuyPrice.Amount, p.SellPrice.Amount, p.Counter, p.Status)
})

// print writes one event: a line for each pair, or one of JSON.
func (w *watch) print(id, name string, pairs json.RawMessage) error {
	out := w.cmd.OutOrStdout()
	if WantsJSON(w.cmd) {
		return json.NewEncoder(out).Encode(map[string]any{"id": id, "event": name, "pairs": pairs})
	}
	t, err := watchView(pairs)
	if err != nil {
		return err
	}
	if outputOf(w.cmd) == "csv" {
		return t.WriteCSV(out, w.lastID == "")
	}
	// A narrow terminal has no room for the time and the currency, which the pair names, too.
	format, narrow := "%-8s  %-9s  %16s  %16s  %-8s  %s\n", "%-9[2]s  %16[3]s  %16[4]s  %[6]s\n"
	if width := terminalWidth(out); width > 0 && width < wideLine {
		format = narrow
	}
	if w.lastID == "" && len(t.Rows) == 0 {
		w.cmd.PrintErrln("No pair with a price passes the filters yet. causeway pairs lists all.")
	}
	if w.lastID == "" {
		_, err = fmt.Fprintf(out, format, "TIME", "PAIR", "BUY", "SELL", "CURRENCY", "STATUS")
	}
	for _, row := range t.Rows {
		at, _ := time.Parse(time.RFC3339, row[0])
		_, err = fmt.Fprintf(out, format, at.Format(time.TimeOnly), row[1], row[2], row[3], row[4], statusText(out, row[5]))
	}
	return err
}
