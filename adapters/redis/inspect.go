package redis

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/rueidis"

	"causeway/core"
)

// Report is what a server says of itself.
type Report struct {
	Engine   string // redis or valkey
	Version  string
	Policy   string // maxmemory-policy: what it throws out when it is full
	Used     int64  // bytes
	Most     int64  // bytes; 0: it has no limit
	ReadOnly bool   // it is a replica of another server
	Latency  time.Duration
}

// leastMajor is the oldest release that is not warned of: RESP3 came with it.
const leastMajor = 6

// Old reports whether the server is older than what this package may take for granted.
func (r Report) Old() bool {
	major, _, _ := strings.Cut(r.Version, ".")
	n, err := strconv.Atoi(major)
	return r.Engine == "redis" && (err != nil || n < leastMajor)
}

// pings are asked to tell the latency, whose median it is.
const pings = 5

// inspection is how long each part of an inspection may take: longer than a process waits, so that a slow server is told from one that is gone.
const inspection = 2 * time.Second

// Inspect asks a server about itself, by a connection of its own. Its errors show neither the URL nor what is in it.
func Inspect(ctx context.Context, cfg Config, clock core.Clock) (Report, error) {
	option, err := rueidis.ParseURL(cfg.URL.Reveal())
	if err != nil {
		return Report{}, errors.New("redis.url is not a URL of Redis")
	}
	option.Dialer.Timeout, option.ConnWriteTimeout = inspection, inspection
	option.DisableCache, option.DisableRetry = true, true
	option.ForceSingleClient = true // one that looks for a cluster goes on looking after it has failed
	option.ClientName = "causeway-doctor"
	client, err := rueidis.NewClient(option)
	if err != nil {
		return Report{}, complaint(err)
	}
	defer client.Close()
	ctx, done := context.WithTimeout(ctx, inspection)
	defer done()
	text, err := client.Do(ctx, client.B().Info().Build()).ToString()
	if err != nil {
		return Report{}, complaint(err)
	}
	report := read(text)
	var took []time.Duration
	for range pings {
		start := clock()
		if err := client.Do(ctx, client.B().Ping().Build()).Error(); err != nil {
			return Report{}, complaint(err)
		}
		took = append(took, clock().Sub(start))
	}
	slices.Sort(took)
	report.Latency = took[pings/2]
	return report, nil
}

// read reads the answer to INFO.
func read(text string) Report {
	said := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			said[name] = value
		}
	}
	number := func(name string) int64 {
		n, err := strconv.ParseInt(said[name], 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	r := Report{
		Engine: "redis", Version: said["redis_version"], Policy: said["maxmemory_policy"],
		Used: number("used_memory"), Most: number("maxmemory"), ReadOnly: said["role"] == "slave",
	}
	if v, ok := said["valkey_version"]; ok {
		r.Engine, r.Version = "valkey", v
	}
	return r
}

// complaint is an error in words of ours: the client's may show an address, and the server's what it was sent.
func complaint(err error) error {
	answered, ok := rueidis.IsRedisErr(err)
	text := ""
	if ok {
		text = answered.Error()
	}
	switch {
	case strings.HasPrefix(text, "NOAUTH"), strings.HasPrefix(text, "WRONGPASS"), strings.Contains(text, "without any password"):
		return errors.New("it wants another user or password than that of redis.url")
	case strings.HasPrefix(text, "NOPERM"):
		return errors.New("the user of redis.url may not ask it about itself (INFO, PING)")
	case strings.HasPrefix(text, "LOADING"):
		return errors.New("it is still loading its data")
	case ok:
		return errors.New("it refuses what it is asked")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nobody listens there")
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it does not answer in time")
	}
	return errors.New("it cannot be reached, or is no Redis")
}
