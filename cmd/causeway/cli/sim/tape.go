package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
)

func tapeTable(all []simulator.Playback) cli.Table {
	t := cli.Table{Head: []string{"TAPE", "TITLE", "FROM", "UNTIL", "PROVIDERS", "ENTRIES", "ANSWERED"}}
	for _, p := range all {
		t.Row(p.ID, p.Title, instant(p.From), instant(p.Until), strings.Join(p.Providers, " "), p.Entries, p.Answered)
	}
	return t
}

// tapeHead is what is known of a tape beside its entries.
type tapeHead struct {
	Title    string             `json:"title"`
	Recorded string             `json:"recorded"`
	Lasts    simulator.Duration `json:"lasts"`
	Repeat   bool               `json:"repeat"`
}

func (s *sim) tapes() *cobra.Command {
	play := ask[simulator.Playback]{
		use: "play FILE lasts=90s [repeat=true] [recorded=TIME] [title=TEXT]", short: "Let providers answer from a tape, from the world's now on", args: cobra.MinimumNArgs(1),
		long: `Lets providers of prices answer what they answered before. FILE has one answer a line, in the order of their times, "-" is standard input:

  {"at":"0s","provider":"coinbase","path":"/products/BTC-USD/ticker","status":200,"body":{"bid":"64012.2","ask":"64012.3","price":"64012.3","size":"0.0015","time":"2026-11-15T11:59:58Z"}}
  {"at":"30s","provider":"coinbase","path":"/products/BTC-USD/ticker"}

An answer is given from its time on to every question that it fits, until the next one that fits, or the end; then, and to all other questions, the market
answers. Without a status no answer came, and the connection breaks. query has parameters that the question must have, headers those of the answer that
matter, text a body that is no JSON. With recorded, when the recording began, the times of quotes in the answers are moved on to the world's.`,
		example: "  causeway sim tape play coinbase.jsonl lasts=90s recorded=2026-11-15T12:00:00Z",
		method:  http.MethodPost, path: s.at("tapes"), body: tapeOf, table: func(p simulator.Playback) cli.Table { return tapeTable([]simulator.Playback{p}) },
	}.command(s)
	run := play.RunE
	play.RunE = func(cmd *cobra.Command, args []string) error { return byLine(run(cmd, args)) }
	return cli.Group("tape", "Let providers answer from tapes: what they answered before",
		play, s.record(),
		ask[[]simulator.Playback]{use: "list", short: "List the tapes, with how many questions they answered", args: cobra.NoArgs, method: http.MethodGet, path: s.at("tapes"), table: tapeTable}.command(s),
		ask[[]simulator.Playback]{
			use: "remove TAPE", short: "End a tape", args: cobra.ExactArgs(1), method: http.MethodDelete, path: func(args []string) string { return s.worldPath("tapes", args[0]) }, table: tapeTable,
		}.command(s),
	)
}

// tapeOf makes a tape of a file's lines and of members.
func tapeOf(args []string) (json.RawMessage, error) {
	head, err := bodyOf[tapeHead](args[1:])
	if err != nil {
		return nil, err
	}
	var tape map[string]any
	if err := json.Unmarshal(head, &tape); err != nil {
		return nil, err
	}
	text, err := readFile(args[0])
	if err != nil {
		return nil, err
	}
	entries := []json.RawMessage{}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d of %s is no JSON; accepted: one object a line, such as {\"at\":\"0s\",\"provider\":\"kraken\",\"path\":\"/0/public/Ticker\",\"status\":200,\"body\":…}", i+1, args[0])
		}
		entries = append(entries, line)
	}
	tape["entries"] = entries
	return json.Marshal(tape)
}

// entryPlace is the place of an entry in what the control API refuses.
var entryPlace = regexp.MustCompile(`\bentries\.(\d+)\.?`)

// byLine names lines of the file in place of entries.
func byLine(err error) error {
	refused, ok := errors.AsType[*cli.ExitError](err)
	if !ok {
		return err
	}
	text := entryPlace.ReplaceAllStringFunc(refused.Error(), func(place string) string {
		n, _ := strconv.Atoi(entryPlace.FindStringSubmatch(place)[1])
		return fmt.Sprintf("line %d: ", n+1)
	})
	return &cli.ExitError{Code: refused.Code, Err: errors.New(text)}
}
