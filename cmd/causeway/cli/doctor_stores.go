package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
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
	seen, err := redis.Inspect(ctx, d.cfg.Redis, d.clock)
	if err != nil {
		return []Finding{{check, Broken, err.Error(), "check redis.url, that the server runs, and that this machine may reach it; without it every process goes on by itself"}}
	}
	return []Finding{judgeRedis(check, seen, d.cfg.Redis.Timeout)}
}

// judgeRedis judges a server that answers.
func judgeRedis(check string, seen redis.Report, timeout time.Duration) Finding {
	out := Finding{check, Fine, fmt.Sprintf("%s %s answers in %s; %s, %d MiB of %s", seen.Engine, seen.Version, seen.Latency.Round(10*time.Microsecond), seen.Policy, seen.Used/megabyte, atMost(seen.Most)), ""}
	switch {
	case seen.ReadOnly:
		out.State, out.Do = Broken, "it is a replica, and takes no writes: set redis.url to the primary"
	case tenths(seen) >= 10:
		out.State, out.Do = Broken, "it is full and takes no writes: raise maxmemory"
	case seen.Latency >= timeout:
		out.State, out.Do = Broken, fmt.Sprintf("it takes longer than redis.timeout (%s), so that it is not used: put it nearer, or raise that", timeout)
	case tenths(seen) >= 9:
		out.State, out.Do = Worrying, "it is nearly full, and then takes no writes: raise maxmemory"
	case seen.Latency >= timeout/4:
		out.State, out.Do = Worrying, fmt.Sprintf("it takes more than a quarter of redis.timeout (%s): put it nearer, or raise that", timeout)
	case strings.HasPrefix(seen.Policy, "allkeys"):
		out.State, out.Do = Worrying, "it may throw out what has no expiry, such as callers' keys and who leads: set maxmemory-policy to noeviction or volatile-ttl"
	case seen.Old():
		out.State, out.Do = Worrying, "it is older than what is tested (7.0): upgrade it"
	}
	return out
}

// tenths is how full a server is that takes no writes once it is full; 0 where it has no limit, or throws something out instead.
func tenths(seen redis.Report) int64 {
	if seen.Policy != "noeviction" || seen.Most == 0 {
		return 0
	}
	return seen.Used * 10 / seen.Most
}

func atMost(bytes int64) string {
	if bytes == 0 {
		return "as many as there are"
	}
	return fmt.Sprintf("%d", bytes/megabyte)
}

// history looks at where the price history is kept.
func (d *Doctor) history(ctx context.Context) []Finding {
	const check = "price history"
	switch {
	case d.cfg.Mode == config.Sandbox:
		return []Finding{{check, Skipped, "a sandbox has its world's own past", ""}}
	case historyFault(d.cfg) != nil:
		return []Finding{{check, Broken, historyFault(d.cfg).Error(), "correct history.url"}}
	case d.cfg.History.URL != "" && d.offline:
		return []Finding{{check, Skipped, "PostgreSQL is not asked", ""}}
	case d.cfg.History.URL != "":
		seen, err := history.InspectPostgres(ctx, d.cfg.History.URL)
		if err != nil {
			return []Finding{{check, Broken, err.Error(), "check history.url, that the server runs, that this machine may reach it, and the user's password and rights"}}
		}
		return []Finding{judgeHistory(check, "PostgreSQL "+seen.Version, seen)}
	case d.cfg.State.Dir == "":
		return []Finding{{check, Worrying, "it is in memory alone", "set state.dir, or history.url for several machines: else percentage_change is 0 for a day after each start"}}
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
		return Finding{check, Broken, where + " cannot be written to", "set history.url to the primary, and give the user the right to write"}
	case !seen.Prepared && !seen.MayPrepare:
		return Finding{check, Broken, where + " has no table, and this user may not make one", "start causeway once as a user who may, or grant CREATE on the schema"}
	case !seen.Prepared:
		return Finding{check, Fine, where + ": the start will make it", ""}
	case seen.Points == 0:
		return Finding{check, Fine, where + " is ready, and empty", ""}
	}
	return Finding{check, Fine, fmt.Sprintf("%s has %d points, the latest of %s", where, seen.Points, seen.Newest.UTC().Format(time.RFC3339)), ""}
}
