package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"

	"causeway/config"
)

// observed returns a logger and what is logged at info level and above.
func observed() (*zap.Logger, *observer.ObservedLogs) {
	core, logs := observer.New(zap.InfoLevel)
	return zap.New(core), logs
}

// running is a process of a test.
type running struct {
	*Process
	start   func() error  // after the operator server
	stopped chan struct{} // closed when the background work ended
	logs    *observer.ObservedLogs
	cancel  context.CancelFunc
	done    chan error
}

func newProcess(t *testing.T, drain config.Drain) *running {
	t.Helper()
	log, logs := observed()
	p := &running{
		stopped: make(chan struct{}), start: func() error { return nil }, logs: logs, done: make(chan error, 1),
	}
	p.Process = &Process{Public: newServer(t, nil), Operator: newServer(t, nil), Health: &Health{}, Drain: drain, Log: log}
	return p
}

func (p *running) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p.cancel = cancel
	go func() {
		p.done <- Run(ctx, fx.Supply(p.Process, p.Log), fx.Provide(NewBackground), fx.Invoke(
			(*Process).ServeOperator,
			func(b *Background) {
				b.Run(func(ctx context.Context) {
					<-ctx.Done()
					close(p.stopped)
				})
			},
			func(life fx.Lifecycle) { life.Append(fx.StartHook(p.start)) },
			(*Process).ServePublic,
		))
	}()
}

// wait polls until the process is in a state: "" is ready.
func (p *running) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		got := ""
		if err := p.Health.Ready(); err != nil {
			got = err.Error()
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the process is %q, want %q", got, want)
		}
	}
}

func TestProcess_CanceledDuringStart(t *testing.T) {
	t.Parallel()
	p := newProcess(t, config.Drain{Delay: patience})
	p.start = func() error {
		p.wait(t, "draining")
		return nil
	}
	p.run(t)
	p.cancel()
	if err := <-p.done; err != nil || p.Public.Addr() != nil {
		t.Errorf("got %v, listening on %v", err, p.Public.Addr())
	}
	<-p.stopped
}

// TestProcess_StartError checks that a hook that cannot start stops the process with its error.
func TestProcess_StartError(t *testing.T) {
	t.Parallel()
	p, broken := newProcess(t, config.Drain{Delay: patience}), errors.New("broken")
	p.start = func() error { return broken }
	p.run(t)
	if err := <-p.done; !errors.Is(err, broken) || p.Public.Addr() != nil {
		t.Errorf("got %v, listening on %v", err, p.Public.Addr())
	}
	<-p.stopped
}

// TestProcess_ListenerFails serves TLS without a certificate, which net/http notices after the start.
func TestProcess_ListenerFails(t *testing.T) {
	t.Parallel()
	p := newProcess(t, config.Drain{Delay: patience})
	p.Public.cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	p.run(t)
	if err := <-p.done; err == nil || !strings.Contains(err.Error(), "the public listener failed: ") {
		t.Errorf("got %v", err)
	}
	<-p.stopped
}

// TestBackground_Stop checks that all work is asked to end before any is waited for, and that hooks
// stop in reverse order.
func TestBackground_Stop(t *testing.T) {
	t.Parallel()
	log, logs := observed()
	life := fxtest.NewLifecycle(t)
	b, other, ended := NewBackground(life, log), make(chan struct{}), ""
	life.Append(fx.StopHook(func() { ended += " resource" }))
	b.Run(func(ctx context.Context) {
		<-ctx.Done()
		close(other)
	})
	b.Run(func(context.Context) {
		<-other
		ended += "work"
	})
	life.RequireStart().RequireStop()
	if ended != "work resource" || logs.Len() != 0 {
		t.Errorf("got %q, logged %v", ended, logs.All())
	}
}

// TestBackground_Hangs checks that work that does not end delays a stop for flushTimeout.
func TestBackground_Hangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, logs := observed()
		life, release := fxtest.NewLifecycle(t), make(chan struct{})
		b := NewBackground(life, log)
		b.Run(func(context.Context) { <-release })
		life.RequireStart()
		begin := time.Now()
		life.RequireStop()
		close(release)
		if took := time.Since(begin); took != flushTimeout ||
			logs.FilterMessage("background work did not end in time").Len() != 1 {
			t.Errorf("took %s, logged %v", took, logs.All())
		}
	})
}

func TestHealth_ConnectionClose(t *testing.T) {
	t.Parallel()
	h := &Health{}
	for state, want := range map[int32]string{starting: "", serving: "", draining: "close"} {
		h.state.Store(state)
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		h.closeWhileDraining(http.NotFoundHandler()).ServeHTTP(rec, r)
		if got := rec.Header().Get("Connection"); got != want {
			t.Errorf("state %d: Connection is %q, want %q", state, got, want)
		}
	}
}

// TestProcess_StopTimeouts checks that Kubernetes and systemd wait longer than a stop takes.
func TestProcess_StopTimeouts(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		text, err := os.ReadFile("../../../config/deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	type drain struct{ Delay, Timeout time.Duration }
	var chart struct {
		Config struct{ Drain drain }
		Grace  int `yaml:"terminationGracePeriodSeconds"`
	}
	var unit struct{ Drain drain }
	if err := yaml.Unmarshal(read("chart/values.yaml"), &chart); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(read("causeway.yaml"), &unit); err != nil {
		t.Fatal(err)
	}
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\w+)$`).FindSubmatch(read("causeway.service"))
	if stop == nil {
		t.Fatal("the unit has no TimeoutStopSec")
	}
	systemd, err := time.ParseDuration(string(stop[1]))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		drain drain
		grace time.Duration
	}{
		"Kubernetes": {chart.Config.Drain, time.Duration(chart.Grace) * time.Second},
		"systemd":    {unit.Drain, systemd},
	} {
		if takes := stopTimeout(config.Drain(c.drain)); c.drain.Timeout == 0 || c.grace <= takes {
			t.Errorf("%s kills the process after %s, and it may take %s", name, c.grace, takes)
		}
	}
}
