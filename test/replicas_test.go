package test_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/adapters/redis/redistest"
	"causeway/test/driver"
)

// answered is an answer of GET /v1/pairs that a replica gave for the first time.
type answered struct {
	etag    string
	at      time.Time
	updated time.Time // the instant of its prices
}

// reader asks one replica for all pairs, all the time.
type reader struct {
	*driver.Instance
	end     context.CancelFunc
	done    chan struct{}
	failed  atomic.Int64
	reads   atomic.Int64
	oldest  atomic.Int64 // age of the oldest price of BTCNGN that was labelled fresh, in ns
	slowest atomic.Int64 // of the answers, in ns

	mu  sync.Mutex
	got []answered
}

// read starts a replica and reads it.
func read(t *testing.T, env []string) *reader {
	t.Helper()
	i, err := driver.Run(binary, env...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &reader{Instance: i, end: cancel, done: make(chan struct{})}
	go r.run(ctx)
	t.Cleanup(func() {
		r.end()
		<-r.done
		_ = i.Stop() // it may be killed already
		if strings.Contains(i.Log(), "DATA RACE") {
			t.Error(i.Log())
		}
		if t.Failed() {
			for line := range strings.Lines(i.Log()) {
				if strings.Contains(line, "shared") {
					t.Log(line)
				}
			}
		}
	})
	return r
}

func (r *reader) run(ctx context.Context) {
	defer close(r.done)
	client := &http.Client{Transport: &http.Transport{}, Timeout: 3 * time.Minute}
	defer client.CloseIdleConnections()
	next := time.NewTicker(10 * time.Millisecond)
	defer next.Stop()
	etag := ""
	var updated time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.API+"/v1/pairs", nil)
		if err != nil {
			panic(err)
		}
		req.Header.Set("If-None-Match", etag)
		asked := time.Now()
		resp, err := client.Do(req)
		if ctx.Err() != nil {
			return
		}
		r.reads.Add(1)
		r.slowest.Store(max(r.slowest.Load(), int64(time.Since(asked))))
		if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotModified {
			r.failed.Add(1)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		now := time.Now()
		if resp.StatusCode == http.StatusOK && err == nil {
			etag = resp.Header.Get("ETag")
			updated = freshAt(body)
			r.mu.Lock()
			r.got = append(r.got, answered{etag, now, updated})
			r.mu.Unlock()
		}
		if !updated.IsZero() {
			r.oldest.Store(max(r.oldest.Load(), int64(now.Sub(updated))))
		}
	}
}

// freshAt is the instant of a list in which BTCNGN is fresh, or zero.
func freshAt(body []byte) time.Time {
	var list struct {
		Data []struct {
			ID, Status string
			UpdatedAt  time.Time `json:"updated_at"`
		}
	}
	if json.Unmarshal(body, &list) != nil {
		return time.Time{}
	}
	for _, p := range list.Data {
		if p.ID == "BTCNGN" && p.Status == "fresh" {
			return p.UpdatedAt
		}
	}
	return time.Time{}
}

func (r *reader) all() []answered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *reader) newest() answered {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.got) == 0 {
		return answered{}
	}
	return r.got[len(r.got)-1]
}

// role is what the replica does about prices.
func (r *reader) role(t *testing.T) string {
	t.Helper()
	metrics := string(driver.Get(t, r.Operator+"/metrics").Body)
	for _, role := range []string{"leader", "follower", "alone"} {
		if strings.Contains(metrics, fmt.Sprintf("causeway_book_role{role=%q} 1\n", role)) {
			return role
		}
	}
	return ""
}

// polls is how often the replica asked any rate source.
func (r *reader) polls(t *testing.T) int {
	t.Helper()
	return counted(t, r.Instance, "causeway_source_polls_total{")
}

// counted adds up the metrics of a process that begin with a text.
func counted(t *testing.T, i *driver.Instance, prefix string) (n int) {
	t.Helper()
	for line := range strings.Lines(string(driver.Get(t, i.Operator+"/metrics").Body)) {
		if strings.HasPrefix(line, prefix) {
			var value int
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &value); err != nil {
				t.Fatal(err)
			}
			n += value
		}
	}
	return n
}

// roles waits until one of the replicas leads and the others follow, and returns them so.
func roles(t *testing.T, replicas []*reader) (leader *reader, followers []*reader) {
	t.Helper()
	wait(t, "one leads and the others follow", func() bool {
		leader, followers = nil, nil
		for _, r := range replicas {
			switch r.role(t) {
			case "leader":
				leader = r
			case "follower":
				followers = append(followers, r)
			}
		}
		return leader != nil && len(followers) == len(replicas)-1
	})
	return leader, followers
}

// together waits until all replicas give one answer of prices made after an instant, and returns how long after it.
func together(t *testing.T, after time.Time, replicas []*reader) time.Duration {
	t.Helper()
	wait(t, "the replicas give one answer", func() bool {
		first := replicas[0].newest()
		return first.updated.After(after) && !slices.ContainsFunc(replicas, func(r *reader) bool { return r.newest().etag != first.etag })
	})
	return time.Since(after)
}

// spreads is how long it took, for every answer that all replicas gave since an instant, from the first to the last of them.
func spreads(replicas []*reader, since time.Time) (out []time.Duration) {
	type seen struct {
		first, last time.Time
		replicas    int
	}
	answers := map[string]*seen{}
	for _, r := range replicas {
		for _, a := range r.all() {
			s := answers[a.etag]
			if s == nil {
				s = &seen{first: a.at, last: a.at}
				answers[a.etag] = s
			}
			s.replicas++
			if a.at.Before(s.first) {
				s.first = a.at
			}
			if a.at.After(s.last) {
				s.last = a.at
			}
		}
	}
	for _, s := range answers {
		if s.replicas == len(replicas) && s.first.After(since) {
			out = append(out, s.last.Sub(s.first))
		}
	}
	slices.Sort(out)
	return out
}

// TestThreeReplicasShareTheirPrices runs three production-mode processes that share a real Redis through everything that happens to it and
// to them, while all of them are read all the time: no read fails, no price is labelled fresh that is not, and whoever can be asked
// gives the same answer as the others, within a moment.
func TestThreeReplicasShareTheirPrices(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	var resolved atomic.Int64
	env := append(upstreams(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/resolve") {
			resolved.Add(1)
		}
		return false
	}), "CAUSEWAY_REDIS__URL="+server.URL().Reveal(), "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef",
		"CAUSEWAY_REDIS__TIMEOUT=400ms",     // three processes under the race detector on a busy machine
		"CAUSEWAY_LIMITS__DEFAULT=100000/s", // every read is counted in Redis, and none is refused
		"CAUSEWAY_RESOLUTION__CACHE__FOUND=1h")
	way := server.Proxy()
	replicas := []*reader{read(t, env), read(t, env), read(t, append(slices.Clone(env), "CAUSEWAY_REDIS__URL="+way.URL().Reveal()))}
	leader, followers := roles(t, replicas)
	together(t, time.Now(), replicas)

	quiet := time.Now()
	asked := []int{followers[0].polls(t), followers[1].polls(t)}
	var all []time.Duration // sooner or later the machine has time to show it
	wait(t, "four editions, each of them at all replicas within half a second", func() bool {
		all = spreads(replicas, quiet)
		return len(all) >= 4 && all[3] <= 500*time.Millisecond
	})
	t.Logf("%d answers, first to last of three replicas: median %s, nine of ten within %s, slowest %s", len(all), all[len(all)/2], all[len(all)*9/10], all[len(all)-1])
	for i, r := range followers {
		if n := r.polls(t); n != asked[i] {
			t.Errorf("a follower asked rate sources %d times", n-asked[i])
		}
	}
	goOn(t, leader, followers[0])
	learn(t, replicas[0], replicas[1], &resolved)

	trouble(t, server, way, replicas)

	leader, followers = roles(t, replicas)
	leader.end()
	<-leader.done
	if err := leader.Process().Kill(); err != nil {
		t.Fatal(err)
	}
	took := together(t, time.Now(), followers)
	t.Logf("the leader killed: the others go on together after %s", took)
	roles(t, followers)

	again := read(t, env)
	replicas = append(slices.Clone(followers), again)
	together(t, time.Now(), replicas)
	if again.polls(t) != 0 || again.role(t) != "follower" {
		t.Errorf("the one that is back is %q, and asked %d times", again.role(t), again.polls(t))
	}
	for _, r := range append(replicas, leader) {
		if r.failed.Load() > 0 || r.reads.Load() == 0 {
			t.Errorf("%d of %d reads failed", r.failed.Load(), r.reads.Load())
		}
		t.Logf("%d reads, the slowest took %s", r.reads.Load(), time.Duration(r.slowest.Load()))
		// Ten seconds are fresh, the engine and the word of the leader may be late by little more than one; then there is this machine.
		if oldest := time.Duration(r.oldest.Load()); oldest > 20*time.Second {
			t.Errorf("a price was labelled fresh at the age of %s", oldest)
		}
	}
}

// trouble does to Redis, and to the way there, whatever happens to them, and waits each time until all replicas give one answer again.
func trouble(t *testing.T, server *redistest.Server, way *redistest.Proxy, replicas []*reader) {
	t.Helper()
	alone := func(replicas ...*reader) {
		t.Helper()
		began := time.Now()
		wait(t, "they are alone, with prices of their own", func() bool {
			return !slices.ContainsFunc(replicas, func(r *reader) bool { return r.role(t) != "alone" || !r.newest().updated.After(began) })
		})
	}
	for _, c := range []struct {
		what       string
		hurt, heal func()
	}{
		{"stopped", func() { server.Pause(); alone(replicas...) }, server.Resume},
		{"killed", func() { server.Kill(); alone(replicas...) }, server.Start},
		{"restarted at once", server.Kill, server.Start},
		{"flushed", func() { server.Do("FLUSHALL") }, func() {}},
		{"out of memory", func() {
			before := make([]int, len(replicas))
			unpublished := func(i int) int {
				return counted(t, replicas[i].Instance, `causeway_book_editions_total{outcome="unpublished"}`)
			}
			for i := range replicas {
				before[i] = unpublished(i)
			}
			server.Do("CONFIG", "SET", "maxmemory", "1")
			wait(t, "who leads cannot publish", func() bool {
				for i := range replicas {
					if unpublished(i) > before[i]+1 {
						return true
					}
				}
				return false
			})
		}, func() { server.Do("CONFIG", "SET", "maxmemory", "0") }},
		{"cut off from one of them", func() {
			way.Part()
			alone(replicas[2])
			roles(t, replicas[:2])
			together(t, time.Now(), replicas[:2])
		}, way.Join},
	} {
		began := time.Now()
		c.hurt()
		hurt := time.Since(began)
		c.heal()
		took := together(t, time.Now(), replicas)
		roles(t, replicas)
		t.Logf("Redis %s: for %s, then one answer after %s", c.what, hurt.Round(time.Millisecond), took.Round(time.Millisecond))
	}
}

// learn has one replica look names up until another one knows such a name without asking: on a busy machine Redis may be too late for one.
func learn(t *testing.T, one, other *reader, asked *atomic.Int64) {
	t.Helper()
	resolve := func(r *reader, n int) int64 {
		body := strings.Replace(resolvePublished, "0123456789", fmt.Sprintf("012345678%d", n), 1)
		if got := driver.Do(t, http.MethodPost, r.API+resolvePath, body, "Authorization", "Bearer "+bearer); got.Status != http.StatusOK {
			t.Fatalf("resolution: %d %s", got.Status, got.Body)
		}
		return asked.Load()
	}
	for n := range 10 {
		if known := resolve(one, n); resolve(other, n) == known {
			return
		}
	}
	t.Error("no replica knows what another one learnt")
}

// goOn follows the stream of one replica, and goes on at another one.
func goOn(t *testing.T, one, other *reader) {
	t.Helper()
	id, event := streamed(t, one.API, "")
	if id == "" || event != "snapshot" {
		t.Fatalf("a stream begins with %s of id %q", event, id)
	}
	if _, event = streamed(t, other.API, id); event == "snapshot" {
		t.Error("the other replica does not know what the first one told")
	}
}

// streamed is the first message of a stream; one without a name is a comment.
func streamed(t *testing.T, api, last string) (id, event string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/v1/pairs/stream?id=BTCNGN", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text := make([]byte, 4096)
	n, err := resp.Body.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text[:n])) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			event = value
		}
	}
	return id, event
}
