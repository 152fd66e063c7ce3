package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"causeway/adapters/history"
	"causeway/adapters/redis"
	"causeway/config"
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

// history looks at where the price history is kept.
func (d *Doctor) history(ctx context.Context) []Finding {
	const check = "price history"
	switch {
	case d.cfg.Mode == config.Sandbox:
		return []Finding{{check, Skipped, "a sandbox has its world's own past", ""}}
	case historyFault(d.cfg) != nil:
		return []Finding{{check, Broken, historyFault(d.cfg).Error(), "correct storage.url"}}
	case d.cfg.Storage.URL != "" && d.offline:
		return []Finding{{check, Skipped, "PostgreSQL is not asked", ""}}
	case d.cfg.Storage.URL != "":
		seen, err := history.InspectPostgres(ctx, d.cfg.Storage.URL)
		if err != nil {
			return []Finding{{check, Broken, err.Error(), "check storage.url, that the server runs, that this machine may reach it, and the user's password and rights"}}
		}
		return []Finding{judgeHistory(check, "PostgreSQL "+seen.Version, seen)}
	case d.cfg.State.Dir == "":
		return []Finding{{check, Worrying, "it is in memory alone", "set state.dir, or storage.url for several machines: else percentage_change is 0 for a day after each start"}}
	}
	file := filepath.Join(d.cfg.State.Dir, "history.db")
	seen, err := history.InspectFile(ctx, file)
	if err != nil {
		return []Finding{{check, Broken, file + ": " + err.Error(), history.Remedy(err)}}
	}
	return []Finding{judgeHistory(check, file, seen)}
}

func judgeHistory(check, where string, seen history.Report) Finding {
	switch {
	case seen.ReadOnly:
		return Finding{check, Broken, where + " cannot be written to", "set storage.url to the primary, and give the user the right to write"}
	case !seen.Prepared && !seen.MayPrepare:
		return Finding{check, Broken, where + " has no table, and this user may not make one", "start causeway once as a user who may, or grant CREATE on the schema"}
	case !seen.Prepared:
		return Finding{check, Fine, where + ": the start will make it", ""}
	case seen.Points == 0:
		return Finding{check, Fine, where + " is ready, and empty", ""}
	}
	return Finding{check, Fine, fmt.Sprintf("%s has %d points, the latest of %s", where, seen.Points, seen.Newest.UTC().Format(time.RFC3339)), ""}
}
