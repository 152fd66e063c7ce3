package redis

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
	"causeway/ports"
)

const lookupsKept = 25 * time.Hour

// Lookups is a log of sealed records of lookups that replicas share: a stream, from which every
// addition removes records older than lookupsKept.
type Lookups struct{ client *Client }

var _ ports.LookupLog = Lookups{}

// NewLookups returns the log of a server.
func NewLookups(client *Client) Lookups { return Lookups{client} }

func (l Lookups) key() string { return l.client.cfg.Prefix + "lookups" }

// Append implements ports.LookupLog.
func (l Lookups) Append(ctx context.Context, record []byte) error {
	oldest := strconv.FormatInt(time.Now().Add(-lookupsKept).UnixMilli(), 10)
	return l.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		for _, reply := range client.DoMulti(ctx,
			client.B().Xadd().Key(l.key()).Minid().Threshold(oldest).Id("*").
				FieldValue().FieldValue("r", rueidis.BinaryString(record)).Build(),
			client.B().Expire().Key(l.key()).Seconds(int64(lookupsKept.Seconds())).Build(),
		) {
			if err := reply.Error(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read implements ports.LookupLog. A position is the ID of an entry, which begins with the time of
// the server. If the newest entry is older than the position, the stream was lost and begins again.
func (l Lookups) Read(ctx context.Context, after string) (page [][]byte, last string, err error) {
	from := "-"
	if after != "" {
		from = "(" + after
	}
	last = after
	err = l.do(ctx, func(ctx context.Context, client rueidis.Client) error {
		page = nil
		replies := client.DoMulti(ctx,
			client.B().Xrange().Key(l.key()).Start(from).End("+").Count(ports.LookupPage).Build(),
			client.B().Xrevrange().Key(l.key()).End("+").Start("-").Count(1).Build())
		entries, err := replies[0].AsXRange()
		if err != nil {
			return err
		}
		newest, err := replies[1].AsXRange()
		if err == nil && len(entries) == 0 && len(newest) > 0 && newest[0].ID != after {
			last = ""
			return nil
		}
		for _, e := range entries {
			page, last = append(page, []byte(e.FieldValues["r"])), e.ID
		}
		return err
	})
	if err == nil && last == "" && after != "" {
		return l.Read(ctx, "")
	}
	return page, last, err
}

func (l Lookups) do(ctx context.Context, f func(context.Context, rueidis.Client) error) error {
	if err := l.client.do(ctx, "lookups", f); err != nil {
		return core.Errorf(core.Unavailable, "lookups cannot be shared").With(err)
	}
	return nil
}
