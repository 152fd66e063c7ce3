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

// reader starts a process and reads its list of pairs all the time.
type reader struct {
	*driver.Instance
	end    context.CancelFunc
	done   chan struct{}
	reads  atomic.Int64
	failed atomic.Int64
	oldest atomic.Int64 // greatest age of a price of BTCNGN with the status fresh, in ns

	mu      sync.Mutex
	etag    string
	updated time.Time            // of BTCNGN while it is fresh
	seen    map[string]time.Time // ETags of all responses, with updated
}

// read starts a process and reads it until the test ends.
func read(t *testing.T, env []string) *reader {
	t.Helper()
	i, err := driver.Run(binary, env...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &reader{Instance: i, end: cancel, done: make(chan struct{}), seen: map[string]time.Time{}}
	go r.run(ctx)
	t.Cleanup(func() {
		r.end()
		<-r.done
		_ = i.Stop() // the test may have killed it
		if strings.Contains(i.Log(), "DATA RACE") {
			t.Error(i.Log())
		}
		if t.Failed() {
			for line := range strings.Lines(i.Log()) {
				if strings.Contains(line, "redis") || strings.Contains(line, "replicas") {
					t.Log(line)
				}
			}
		}
	})
	return r
}

func (r *reader) run(ctx context.Context) {
	defer close(r.done)
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for next := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			next.Stop()
			return
		case <-next.C:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.API+"/v1/pairs?id=BTCNGN", nil)
		if err != nil {
			panic(err)
		}
		etag, updated := r.newest()
		req.Header.Set("If-None-Match", etag)
		resp, err := client.Do(req)
		if ctx.Err() != nil {
			return
		}
		r.reads.Add(1)
		if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotModified {
			r.failed.Add(1)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK && err == nil {
			updated = freshAt(body)
			r.mu.Lock()
			r.etag, r.updated = resp.Header.Get("ETag"), updated
			r.seen[r.etag] = updated
			r.mu.Unlock()
		}
		if !updated.IsZero() {
			r.oldest.Store(max(r.oldest.Load(), int64(time.Since(updated))))
		}
	}
}

// freshAt returns when BTCNGN was updated, or the zero time if it is not fresh.
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

func (r *reader) newest() (etag string, updated time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.etag, r.updated
}

// saw reports whether a response had this ETag.
func (r *reader) saw(etag string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.seen[etag]
	return ok
}

// after returns the ETags of responses with prices that are newer than a time.
func (r *reader) after(began time.Time) (etags []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for etag, updated := range r.seen {
		if updated.After(began) {
			etags = append(etags, etag)
		}
	}
	return etags
}

// role returns what the replica does about prices.
func (r *reader) role(t *testing.T) string {
	t.Helper()
	metrics := string(driver.Get(t, r.Operator+"/metrics").Body)
	for _, role := range []string{"leader", "follower", "standalone"} {
		if strings.Contains(metrics, fmt.Sprintf("causeway_pairs_role{role=%q} 1\n", role)) {
			return role
		}
	}
	return ""
}

// polls returns how often the replica polled rate sources.
func (r *reader) polls(t *testing.T) int {
	t.Helper()
	return counted(t, r.Instance, "causeway_source_polls_total{")
}

// counted adds up the metrics of a process that begin with a text.
func counted(t *testing.T, i *driver.Instance, prefix string) (n int) {
	t.Helper()
	for line := range strings.Lines(string(driver.Get(t, i.Operator+"/metrics").Body)) {
		if strings.HasPrefix(line, prefix) {
			var value float64
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &value); err != nil {
				t.Fatal(err)
			}
			n += int(value)
		}
	}
	return n
}

// shared waits until one of the replicas leads, the others follow, and all have returned the same
// response with prices that are newer than this call. It returns the time that took.
func shared(t *testing.T, replicas []*reader) (leader *reader, followers []*reader, took time.Duration) {
	t.Helper()
	began := time.Now()
	wait(t, "one leads, the others follow, and all have the same prices", func() bool {
		if !slices.ContainsFunc(replicas[0].after(began), func(etag string) bool {
			return !slices.ContainsFunc(replicas, func(r *reader) bool { return !r.saw(etag) })
		}) {
			return false // before the roles, since metrics are expensive
		}
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
	return leader, followers, time.Since(began)
}

// standalone waits until the replicas compute fresh prices for themselves.
func standalone(t *testing.T, replicas ...*reader) {
	t.Helper()
	began := time.Now()
	wait(t, "the replicas are standalone", func() bool { return areStandalone(t, began, replicas...) })
}

// areStandalone reports whether the replicas computed fresh prices for themselves since a time.
func areStandalone(t *testing.T, since time.Time, replicas ...*reader) bool {
	t.Helper()
	return !slices.ContainsFunc(replicas, func(r *reader) bool {
		_, updated := r.newest()
		return !updated.After(since) || r.role(t) != "standalone"
	})
}

// TestReplicas_SharePrices runs three processes that share a Redis server through failures of the
// server, of the network and of the leader. Meanwhile no read fails, and no outdated price has the
// status fresh. A client that reconnects to another replica resumes its stream.
func TestReplicas_SharePrices(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	env := append(upstreamsWithPrices(t),
		"CAUSEWAY_REDIS__URL="+server.URL().Reveal(), "CAUSEWAY_PRIVACY__HASH_KEY=0123456789abcdef0123456789abcdef",
		"CAUSEWAY_LIMITS__DEFAULT=100000/s", "CAUSEWAY_LIMITS__OPERATIONS__STREAM_PAIRS=none")
	network := server.Proxy()
	behind := append(slices.Clone(env), "CAUSEWAY_REDIS__URL="+network.URL().Reveal())
	replicas := []*reader{read(t, env), read(t, env), read(t, behind)}
	_, followers, _ := shared(t, replicas)
	wait(t, "a client resumes its stream at another replica, which can lack a publication", func() bool {
		id, event := firstEvent(t, replicas[0].API, "")
		if id == "" || event != "snapshot" {
			t.Errorf("a stream begins with event %q of id %q", event, id)
		}
		_, event = firstEvent(t, replicas[1].API, id)
		return event != "snapshot"
	})
	before := []int{followers[0].polls(t), followers[1].polls(t)}
	shared(t, replicas)
	for i, r := range followers {
		if n := r.polls(t) - before[i]; n != 0 {
			t.Errorf("a follower polled rate sources %d times", n)
		}
	}

	for _, c := range []struct {
		what          string
		fail, recover func()
	}{
		{"stopped", func() { server.Pause(); standalone(t, replicas...) }, server.Resume},
		{"killed", func() { server.Kill(); standalone(t, replicas...) }, server.Start},
		{"slow for one", func() { network.Slow(time.Second); standalone(t, replicas[2]) }, func() { network.Slow(0) }},
		{"unreachable for one", func() { network.Part(); standalone(t, replicas[2]); shared(t, replicas[:2]) }, network.Join},
	} {
		c.fail()
		c.recover()
		_, _, took := shared(t, replicas)
		t.Logf("Redis %s: prices are shared again after %s", c.what, took.Round(time.Millisecond))
	}

	leader, followers, _ := shared(t, replicas)
	leader.end()
	<-leader.done
	if err := leader.Process().Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	wait(t, "a follower leads", func() bool {
		return slices.ContainsFunc(followers, func(r *reader) bool { return r.role(t) == "leader" })
	})
	elected := time.Since(killed)
	shared(t, followers)
	t.Logf("leader killed: next leader after %s, new prices shared after %s",
		elected.Round(time.Millisecond), time.Since(killed).Round(time.Millisecond))

	again := read(t, env)
	if again.polls(t) != 0 {
		t.Error("a replica polled at its start although there is a leader")
	}
	_, followers, _ = shared(t, append(slices.Clone(followers), again))
	forged := `{"leader":"x","snapshot":{"ID":9223372036854775807}}`
	began := time.Now()
	wait(t, "the followers refuse a forged snapshot", func() bool { // again and again, as the leader replaces it
		server.Do("SET", "causeway:prices", forged)
		server.Do("PUBLISH", "causeway:prices", forged)
		return areStandalone(t, began, followers...)
	})
	for _, r := range append(replicas, again) {
		if r.failed.Load() > 0 || r.reads.Load() == 0 {
			t.Errorf("%d of %d reads failed", r.failed.Load(), r.reads.Load())
		}
		// 10 s are fresh; noticing a silent leader takes 2 s, and the rest is for a busy machine.
		if oldest := time.Duration(r.oldest.Load()); oldest > time.Minute {
			t.Errorf("a price with the status fresh was %s old", oldest)
		}
	}
}

// firstEvent returns the first event of a stream, or an empty name if it is a comment.
func firstEvent(t *testing.T, api, lastEventID string) (id, event string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/v1/pairs/stream?id=BTCNGN", nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text := make([]byte, 4096)
	n, err := resp.Body.Read(text)
	if err != nil {
		t.Fatalf("%v after %s: %s", err, resp.Status, text[:n])
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
