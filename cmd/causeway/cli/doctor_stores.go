package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/core"
)

// redis looks at the server that replicas share.
func (d *Doctor) redis(ctx context.Context) []Finding {
	const check = "redis"
	switch {
	case d.cfg.Redis.URL == "":
		return []Finding{{check, Skipped, "none is configured: every process for itself", ""}}
	case d.offline:
		return []Finding{{check, Skipped, "it is not asked", ""}}
	}
	roundTrip, err := redis.Inspect(ctx, d.cfg.Redis, d.clock)
	if err != nil {
		return []Finding{{check, Broken, err.Error(), "until then every process works without Redis"}}
	}
	return []Finding{judgeRedis(check, roundTrip, d.cfg.Redis.Timeout)}
}

// judgeRedis compares the slowest round trip of a working server with redis.timeout.
func judgeRedis(check string, roundTrip, timeout time.Duration) Finding {
	text := fmt.Sprintf("all commands work; slowest round trip %s", roundTrip.Round(10*time.Microsecond))
	switch {
	case roundTrip >= timeout:
		return Finding{check, Broken, text, fmt.Sprintf("that exceeds redis.timeout (%s), so Redis is not used: raise it or move Redis closer", timeout)}
	case roundTrip >= timeout/2:
		return Finding{check, Worrying, text, fmt.Sprintf("that is close to redis.timeout (%s): raise it or move Redis closer", timeout)}
	}
	return Finding{check, Fine, text, ""}
}

// database reads the API keys and the price history without changing anything.
func (d *Doctor) database(ctx context.Context) []Finding {
	const check = "database"
	switch {
	case !d.cfg.Database().Enabled():
		return []Finding{{check, Worrying, "none is configured: price history is in memory, and keys are those of auth.keys", "set state.dir, or storage.url for several machines: else percentage_change is 0 for a day after each start"}}
	case d.cfg.Storage.URL != "" && d.offline:
		return []Finding{{check, Skipped, "PostgreSQL is not called", ""}}
	}
	status, err := storage.Inspect(ctx, d.cfg.Database())
	switch {
	case err != nil:
		return []Finding{{check, Broken, err.Error(), "until then the service does not start, or API keys get 503"}}
	case !status.Migrated:
		return []Finding{{check, Fine, "the start creates or updates its tables", ""}}
	}
	found := fmt.Sprintf("%d API keys, %d points of price history", len(status.Keys), status.Points)
	if !status.Newest.IsZero() {
		found += ", the latest of " + status.Newest.Format(time.RFC3339)
	}
	return append([]Finding{{check, Fine, found, ""}}, d.keys(status.Keys)...)
}

// keys looks for keys that are valid, and for those that expire soon.
func (d *Doctor) keys(keys []core.Key) []Finding {
	const check = "API keys"
	now, live := d.clock(), 0
	var soon []string
	for _, k := range keys {
		if !k.Live(now) {
			continue
		}
		live++
		if !k.Expires.IsZero() && k.Expires.Sub(now) < expiresSoon {
			soon = append(soon, fmt.Sprintf("%s (%s) on %s", k.ID, k.Name, k.Expires.Format(time.DateOnly)))
		}
	}
	found := fmt.Sprintf("%d of %d are valid", live, len(keys))
	switch {
	case live == 0 && len(d.cfg.KeyedOperations()) > 0 && len(d.cfg.Auth.Keys) == 0:
		return []Finding{{check, Worrying, found + ", so operations that need a key refuse all requests", "causeway keys create --name NAME"}}
	case len(soon) > 0:
		return []Finding{{check, Worrying, found + "; soon to expire: " + strings.Join(soon, ", "), "causeway keys rotate ID, and give the holder the new key"}}
	}
	return []Finding{{check, Fine, found, ""}}
}
