// Package console is a page for people on the operator's listener of a sandbox: what is going on in one world, live, and buttons that change it.
//
// It only looks. Every button is an ordinary call of the control API (/_sim/v1/…), made by the browser and shown as a command for a shell, so that
// whatever was tried here can be put into a test. What is shown is rendered by the server, text by text escaped by gomponents; the browser's
// part is to put the pieces in their places. There is no framework, and nothing is asked of another host.
//
// It never changes a world, it never shows what a journal has masked, and it is no part of a production process. Looking at prices of a world is
// like streaming them: where its clock runs, they are kept up to date.
package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// Price is a row of the board.
type Price struct {
	Pair   core.Pair
	Status string // fresh, stale, halted
	Reason string // empty: nothing is the matter
	Mid    string // decimals, in the pair's counter
	Buy    string
	Sell   string
	Votes  []journal.Vote // of every market on the way, those that were not used too
}

// Config says what a console shows, and to how many.
type Config struct {
	Clock core.Clock // the machine's, for the deadlines of streams
	// Prices returns what the services of a world publish, as of its now. It is asked twice a second while somebody looks.
	Prices  func(ctx context.Context, w *simulator.World) ([]Price, error)
	Public  string        // origin of the public listener, such as http://localhost:8080, in the commands to copy
	Streams int           // open at once; 0: 32
	Every   time.Duration // how often a stream looks for changes; 0: 500 ms, which is the most that a person can follow
}

const (
	usualStreams = 32
	usualEvery   = 500 * time.Millisecond
)

// Path is where the console is; everything that it serves is there or below.
const Path = "/console"

// policy lets the page run its own scripts and styles, ask this listener alone, and be in nobody's frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Console is the page with what keeps it up to date. It is safe for concurrent use.
type Console struct {
	cfg     Config
	worlds  *simulator.Worlds
	mux     *http.ServeMux
	files   map[string][]byte // styles and scripts
	streams chan struct{}     // holds one for each stream that is open

	closing sync.Once
	closed  chan struct{}
}

// New makes the console of a sandbox. The error says what is missing.
func New(worlds *simulator.Worlds, cfg Config) (*Console, error) {
	if worlds == nil || cfg.Clock == nil || cfg.Prices == nil {
		return nil, errors.New("console: worlds, a clock or prices are missing")
	}
	if cfg.Streams < 0 || cfg.Every < 0 {
		return nil, errors.New("console: the number of streams or the time between two looks is below zero")
	}
	if cfg.Streams == 0 {
		cfg.Streams = usualStreams
	}
	if cfg.Every == 0 {
		cfg.Every = usualEvery
	}
	served, err := files()
	if err != nil {
		return nil, err
	}
	c := &Console{files: served, cfg: cfg, worlds: worlds, mux: http.NewServeMux(), streams: make(chan struct{}, cfg.Streams), closed: make(chan struct{})}
	c.mux.HandleFunc("GET "+Path, c.show)
	c.mux.HandleFunc("GET "+Path+"/events", c.stream)
	c.mux.HandleFunc("GET "+Path+"/chart", c.chart)
	c.mux.HandleFunc("GET "+Path+"/assets/{name}", c.asset)
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.refuse(w, http.StatusNotFound, "There is no such page. The console is at "+Path+", and it is only read: what it changes, it changes by the control API.")
	})
	return c, nil
}

// Close ends all streams, so that a server that is being shut down need not wait for them.
func (c *Console) Close() { c.closing.Do(func() { close(c.closed) }) }

// ServeHTTP answers whatever is at Path or below it.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	c.mux.ServeHTTP(w, r)
}

// render answers with what was made.
func (c *Console) render(w http.ResponseWriter, status int, kind string, page g.Node) {
	var body bytes.Buffer
	if err := page.Render(&body); err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.ToValidUTF8(body.Bytes(), []byte("\uFFFD"))) // gomponents leaves foreign bytes as they are
}

func (c *Console) refuse(w http.ResponseWriter, status int, text string) {
	title := http.StatusText(status)
	c.render(w, status, "text/html", document(title, nil, el("body", el("main", attr("class", "text"),
		el("h1", g.Text(title)),
		el("p", g.Text(text)),
		el("p", el("a", attr("href", Path), g.Text("The console of the world “default”"))),
	))))
}

// world finds the world that a request is about: the default one where it names none. Where there is none it answers, and returns nil.
func (c *Console) world(w http.ResponseWriter, r *http.Request) *simulator.World {
	id := r.URL.Query().Get("world")
	if id == "" {
		id = simulator.DefaultWorld
	}
	world, err := c.worlds.Find(id)
	if err == nil {
		return world
	}
	status := http.StatusNotFound
	if core.CodeOf(err) == core.Expired {
		status = http.StatusGone
	}
	c.refuse(w, status, message(err))
	return nil
}

// message is what an error says to people; the cause of one that is not meant for them is not shown.
func message(err error) string {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e.Message
	}
	return "That did not work."
}
