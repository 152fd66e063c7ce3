package main

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
func (d *doctor) redis(ctx context.Context) []finding {
	const check = "redis"
	switch {
	case d.cfg.Redis.URL == "":
		return []finding{{check, skipped, "none is configured: every process for itself", ""}}
	case d.offline:
		return []finding{{check, skipped, "it is not asked", ""}}
	}
	seen, err := redis.Inspect(ctx, d.cfg.Redis, d.outside.Clock)
	if err != nil {
		return []finding{{check, broken, err.Error(), "check redis.url, that the server runs, and that this machine may reach it; without it every process goes on by itself"}}
	}
	return []finding{judgeRedis(check, seen, d.cfg.Redis.Timeout)}
}

// judgeRedis judges a server that answers.
func judgeRedis(check string, seen redis.Report, timeout time.Duration) finding {
	out := finding{check, fine, fmt.Sprintf("%s %s answers in %s; %s, %d MiB of %s", seen.Engine, seen.Version, seen.Latency.Round(10*time.Microsecond), seen.Policy, seen.Used/megabyte, atMost(seen.Most)), ""}
	switch {
	case seen.ReadOnly:
		out.State, out.Do = broken, "it is a replica, and takes no writes: set redis.url to the primary"
	case tenths(seen) >= 10:
		out.State, out.Do = broken, "it is full and takes no writes: raise maxmemory"
	case seen.Latency >= timeout:
		out.State, out.Do = broken, fmt.Sprintf("it takes longer than redis.timeout (%s), so that it is not used: put it nearer, or raise that", timeout)
	case tenths(seen) >= 9:
		out.State, out.Do = worrying, "it is nearly full, and then takes no writes: raise maxmemory"
	case seen.Latency >= timeout/4:
		out.State, out.Do = worrying, fmt.Sprintf("it takes more than a quarter of redis.timeout (%s): put it nearer, or raise that", timeout)
	case strings.HasPrefix(seen.Policy, "allkeys"):
		out.State, out.Do = worrying, "it may throw out what has no expiry, such as callers' keys and who leads: set maxmemory-policy to noeviction or volatile-ttl"
	case seen.Old():
		out.State, out.Do = worrying, "it is older than what is tested (7.0): upgrade it"
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
func (d *doctor) history(ctx context.Context) []finding {
	const check = "price history"
	switch {
	case d.cfg.Mode == config.Sandbox:
		return []finding{{check, skipped, "a sandbox has its world's own past", ""}}
	case historyFault(d.cfg) != nil:
		return []finding{{check, broken, historyFault(d.cfg).Error(), "correct history.url"}}
	case d.cfg.History.URL != "" && d.offline:
		return []finding{{check, skipped, "PostgreSQL is not asked", ""}}
	case d.cfg.History.URL != "":
		seen, err := history.InspectPostgres(ctx, d.cfg.History.URL)
		if err != nil {
			return []finding{{check, broken, err.Error(), "check history.url, that the server runs, that this machine may reach it, and the user's password and rights"}}
		}
		return []finding{judgeHistory(check, "PostgreSQL "+seen.Version, seen)}
	case d.cfg.State.Dir == "":
		return []finding{{check, worrying, "it is in memory alone", "set state.dir, or history.url for several machines: else percentage_change is 0 for a day after each start"}}
	}
	file := filepath.Join(d.cfg.State.Dir, "history.db")
	seen, err := history.InspectFile(ctx, file)
	if err != nil {
		return []finding{{check, broken, file + ": " + err.Error(), history.Remedy(err)}}
	}
	return []finding{judgeHistory(check, file, seen)}
}

func judgeHistory(check, where string, seen history.Report) finding {
	switch {
	case seen.ReadOnly:
		return finding{check, broken, where + " cannot be written to", "set history.url to the primary, and give the user the right to write"}
	case !seen.Prepared && !seen.MayPrepare:
		return finding{check, broken, where + " has no table, and this user may not make one", "start causeway once as a user who may, or grant CREATE on the schema"}
	case !seen.Prepared:
		return finding{check, fine, where + ": the start will make it", ""}
	case seen.Points == 0:
		return finding{check, fine, where + " is ready, and empty", ""}
	}
	return finding{check, fine, fmt.Sprintf("%s has %d points, the latest of %s", where, seen.Points, seen.Newest.UTC().Format(time.RFC3339)), ""}
}
