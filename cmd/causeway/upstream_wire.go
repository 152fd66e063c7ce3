package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"causeway/cmd/causeway/operator"
	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// upstreamWires are the providers of all worlds over TCP, each provider below a path of its name.
type upstreamWires struct {
	worlds *simulator.Worlds

	mu sync.Mutex
	of map[*simulator.World]*showing
}

// showing is a world as its providers show it, until it ends.
type showing struct {
	*wire.Wire

	over chan struct{} // closed with the world: connections and answers that never come outlive requests
}

func newUpstreamWires(worlds *simulator.Worlds) *upstreamWires {
	u := &upstreamWires{worlds: worlds, of: map[*simulator.World]*showing{}}
	worlds.OnEnd(func(w *simulator.World) {
		u.mu.Lock()
		defer u.mu.Unlock()
		if shown := u.of[w]; shown != nil {
			close(shown.over)
		}
		delete(u.of, w)
	})
	return u
}

// show is how a world is shown.
func (u *upstreamWires) show(w *simulator.World) *showing {
	u.mu.Lock()
	defer u.mu.Unlock()
	made := u.of[w]
	if made == nil {
		made = &showing{wire.New(w), make(chan struct{})}
		u.of[w] = made
	}
	return made
}

// ServeHTTP asks a provider of the world that the request names.
func (u *upstreamWires) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Sim-World")
	if id == "" {
		id = simulator.DefaultWorld
	}
	world, err := u.worlds.Use(id)
	if err != nil {
		refuseWorld(w, err)
		return
	}
	defer u.worlds.Hold(world)()
	shown := u.show(world)
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	provider := shown.Handler(name)
	if provider == nil {
		operator.WriteReply(w, http.StatusNotFound, "no such provider", "the simulated providers are at /"+strings.Join(shown.Providers(), ", /"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-shown.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	http.StripPrefix("/"+name, provider).ServeHTTP(w, r.WithContext(ctx))
}

// refuseWorld says why a world cannot be had.
func refuseWorld(w http.ResponseWriter, err error) {
	status, reason := http.StatusInternalServerError, "the world cannot be made"
	if e, ok := errors.AsType[*core.Error](err); ok {
		reason = e.Message
	}
	switch core.CodeOf(err) {
	case core.Expired:
		status = http.StatusGone
	case core.TooMany:
		status = http.StatusTooManyRequests
	case core.Invalid:
		status = http.StatusBadRequest
	default:
	}
	operator.WriteReply(w, status, "no such world", reason)
}
