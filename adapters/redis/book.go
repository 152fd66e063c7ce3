package redis

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

const (
	leadFor    = 2 * time.Second        // an absent leader is followed by another one after so long
	renewEvery = 500 * time.Millisecond // so three renewals may fail
	editionFor = time.Minute            // nobody goes on from prices that are older
	wordFor    = 5 * time.Second        // longer than it takes until there is a leader again

	bookUse = "book" // in metrics
)

// Book is the price book that replicas share. Whoever publishes must hold the lead at that moment, as the server sees it, so two leaders
// never both write: what a leader does that slept through the end of its lead is refused.
type Book struct {
	server *Client
	keys   []string // the lead, the newest edition, the channel, the words
}

var _ ports.PriceBook = (*Book)(nil)

// NewBook makes a book. Those of one name share it: the name should say what makes books comparable.
func NewBook(server *Client, name string) *Book {
	b := &Book{server: server}
	for _, part := range []string{"lead", "edition", "news", "words"} {
		b.keys = append(b.keys, server.cfg.Prefix+"book:{"+name+"}:"+part) // in braces: all of them on one node of a cluster
	}
	return b
}

// run runs a script on the book's keys.
func (b *Book) run(ctx context.Context, script *rueidis.Lua, args ...string) (rueidis.RedisMessage, error) {
	var told rueidis.RedisMessage
	err := b.server.do(ctx, bookUse, func(ctx context.Context, client rueidis.Client) error {
		var err error
		told, err = script.Exec(ctx, client, b.keys, args).ToMessage()
		return err
	})
	if err != nil && !rueidis.IsRedisNil(err) {
		err = errBookAway(err)
	}
	return told, err
}

func errBookAway(cause error) error {
	return core.Errorf(core.Unavailable, "the shared book of prices cannot be reached").With(cause)
}

// Read returns the newest edition, if it is above a mark.
func (b *Book) Read(ctx context.Context, mark ports.Mark) (ports.Edition, error) {
	told, err := b.run(ctx, above, numeral(mark.Term), numeral(mark.Number))
	if rueidis.IsRedisNil(err) {
		return ports.Edition{}, core.Errorf(core.NotFound, "there is nothing newer in the shared book of prices")
	}
	if err != nil {
		return ports.Edition{}, err
	}
	text, err := told.ToString()
	edition, ok := editionOf(text)
	if err != nil || !ok || len(edition.Body) == 0 {
		return ports.Edition{}, core.Errorf(core.Unavailable, "the shared book of prices cannot be read")
	}
	return edition, nil
}

// Follow tells every edition that is written from now on.
func (b *Book) Follow(ctx context.Context, heard func(ports.Edition)) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if client := b.server.client; b.server.Up() {
			// It returns when the connection breaks. That is in the metrics of whoever asks something then.
			_ = client.Receive(ctx, client.B().Subscribe().Channel(b.keys[2]).Build(), func(m rueidis.PubSubMessage) {
				if edition, ok := editionOf(m.Message); ok {
					heard(edition)
				}
			})
		}
		again.Reset(pingInterval)
	}
}

// Say leaves a word for the leader.
func (b *Book) Say(ctx context.Context, word string) error {
	_, err := b.run(ctx, say, word, millis(wordFor))
	return err
}

// editionOf reads an edition as it is stored and sent. An empty text is one without a body.
func editionOf(text string) (ports.Edition, bool) {
	if text == "" {
		return ports.Edition{}, true
	}
	head, body, _ := strings.Cut(text, "\n")
	term, number, _ := strings.Cut(head, " ")
	t, err := strconv.ParseUint(term, 10, 53)
	n, err2 := strconv.ParseUint(number, 10, 53)
	if err != nil || err2 != nil || t == 0 || n == 0 || body == "" {
		return ports.Edition{}, false
	}
	return ports.Edition{Mark: ports.Mark{Term: t, Number: n}, Body: bytes.Clone([]byte(body))}, true
}

func numeral(n uint64) string { return strconv.FormatUint(n, 10) }

func millis(d time.Duration) string { return decimal(d.Milliseconds()) }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
