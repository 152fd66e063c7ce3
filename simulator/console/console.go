// Package console serves the web console of a sandbox on the operator listener: one view per task, rendered by
// the server and kept up to date by htmx.
//
// The console only reads. Its buttons and forms are ordinary calls of the control API, made by the browser and
// shown as commands, so that what works here can be copied into a test. Texts that come from requests are
// escaped by html/template. Account numbers are shown as they were sent, because everything is simulated.
package console

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/docs/assets"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// Path is the path of the console; everything that it serves is there or below.
const Path = "/console"

// Price is a price that the services of a world publish.
type Price struct {
	Pair   core.Pair
	Status string          // fresh, stale, halted
	Reason string          // empty for an ordinary price
	Mid    decimal.Decimal // in the pair's counter currency, as are Buy and Sell
	Buy    decimal.Decimal
	Sell   decimal.Decimal
	Change decimal.Decimal // of Mid in 24 hours, in per cent; zero if unknown
	Votes  []journal.Vote  // of every market on the route, unused ones included
}

// Config is what the console needs in addition to the worlds.
type Config struct {
	// Prices returns what the services of a world publish at its present time.
	Prices func(ctx context.Context, w *world.World) ([]Price, error)
	// History returns the mid prices of a pair over the last 24 hours of a world, oldest first.
	History func(ctx context.Context, w *world.World, pair core.Pair) ([]core.PricePoint, error)
	// Received returns what the services of a world know of its blockchains.
	Received func(ctx context.Context, w *world.World) (Received, error)
	// Code returns the code to scan with which a user without a key is paid in a world. It may be nil.
	Code   func(ctx context.Context, w *world.World, user, currency, network, amount string) (Code, error)
	Public string // origin of the public listener, such as http://localhost:8080, for commands to copy
}

// Console is the handler of the console. It is safe for concurrent use.
type Console struct {
	cfg    Config
	worlds *world.Registry
	mux    *http.ServeMux
}

// view is a page with an entry in the navigation.
type view struct {
	Name  string
	Title string
	data  func(c *Console, f *frame, r *http.Request) (any, error)
}

var views = []view{
	{"overview", "Overview", (*Console).overview},
	{"prices", "Prices", (*Console).prices},
	{"accounts", "Accounts", (*Console).accounts},
	{"deposits", "Deposits", (*Console).deposits},
	{"faults", "Faults", (*Console).faults},
	{"journal", "Journal", (*Console).journal},
	{"scenarios", "Scenarios", (*Console).scenarios},
	{"worlds", "Worlds", (*Console).allWorlds},
}

//go:embed templates/*.html
var templateFiles embed.FS

// templates returns the pages by name. Each consists of the layout and its own file. They are parsed when the first
// page is shown, since that takes a tenth of the time of a command, which shows none.
var templates = sync.OnceValue(func() map[string]*template.Template {
	out := map[string]*template.Template{}
	for _, name := range []string{
		"overview", "prices", "pair", "accounts", "deposits", "faults", "journal", "scenarios", "worlds", "error",
	} {
		t := template.New(name).Funcs(functions)
		out[name] = template.Must(t.ParseFS(templateFiles, "templates/layout.html", "templates/"+name+".html"))
	}
	return out
})

// New returns the console of a sandbox.
func New(worlds *world.Registry, cfg Config) *Console {
	c := &Console{cfg: cfg, worlds: worlds, mux: http.NewServeMux()}
	c.mux.Handle("GET "+Path+"/assets/", assets.Handler(Path+"/assets/"))
	for _, path := range []string{Path, Path + "/{$}"} {
		c.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			//nolint:gosec // the path is constant
			http.Redirect(w, r, "/console/overview?"+r.URL.RawQuery, http.StatusFound)
		})
	}
	for _, v := range views {
		c.mux.HandleFunc("GET "+Path+"/"+v.Name, c.page(v.Name, v))
	}
	pair := view{"prices", "Prices", (*Console).pair}
	c.mux.HandleFunc("GET "+Path+"/prices/{pair}", c.page("pair", pair))
	c.mux.HandleFunc("GET "+Path+"/prices/{pair}/chart", c.handler(pair, c.chart))
	c.mux.HandleFunc("GET "+Path+"/api", reference)
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, core.Errorf(core.NotFound, "There is no such page. The console is at %s.", Path))
	})
	return c
}

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// ServeHTTP serves everything at Path or below.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	c.mux.ServeHTTP(w, r)
}

var referencePage = template.Must(template.ParseFS(templateFiles, "templates/api.html"))

// reference shows the reference of the control API. Its links lead back to the world from which it was opened.
func reference(w http.ResponseWriter, r *http.Request) {
	// Scalar, which shows the reference, creates inline styles.
	policy := strings.Replace(contentSecurityPolicy, "style-src 'self'", "style-src 'self' 'unsafe-inline'", 1)
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = referencePage.Execute(w, r.URL.Query().Get("world")) // the client may be gone
}

// handler returns a handler of requests about a world.
func (c *Console) handler(v view, serve func(http.ResponseWriter, *http.Request, *frame) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		world, err := c.world(r)
		if err == nil {
			err = serve(w, r, c.newFrame(r, world, v))
		}
		if err != nil {
			c.fail(w, r, err)
		}
	}
}

// page returns the handler of a view. htmx requests a part of the page, which is a template of that
// name.
func (c *Console) page(name string, v view) http.HandlerFunc {
	return c.handler(v, func(w http.ResponseWriter, r *http.Request, f *frame) (err error) {
		part := "page"
		if r.Header.Get("Hx-Request") == "true" {
			part = cmp.Or(r.Header.Get("Hx-Target"), "live")
		}
		if part != "status" {
			if f.Data, err = v.data(c, f, r); err != nil {
				return err
			}
		}
		c.render(w, http.StatusOK, templates()[name], part, f)
		return nil
	})
}

func (c *Console) render(w http.ResponseWriter, status int, t *template.Template, part string, f *frame) {
	if t.Lookup(part) == nil {
		part = "page"
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, part, f); err != nil {
		http.Error(w, "The page could not be rendered: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Hx-Request, Hx-Target")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.ToValidUTF8(body.Bytes(), []byte("\uFFFD")))
}

// fail shows an error. A page whose world has ended leaves the screen: htmx follows the redirect.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := apierror.From(err).GetStatus()
	gone := status == http.StatusGone || status == http.StatusNotFound
	if gone && r.Header.Get("Hx-Request") == "true" {
		w.Header().Set("Hx-Redirect", Path+"/worlds?ended="+url.QueryEscape(r.URL.Query().Get("world")))
	}
	f := &frame{View: view{Title: http.StatusText(status)}, Data: message(err)}
	c.render(w, status, templates()["error"], "page", f)
}

// message returns the text of an error for people. The cause of an unexpected one is not shown.
func message(err error) string { return apierror.From(err).Detail.Message }

// world returns the world that a request names, the default one if it names none.
func (c *Console) world(r *http.Request) (*world.World, error) {
	return c.worlds.Find(cmp.Or(r.URL.Query().Get("world"), world.Default))
}

// worldPrices returns the prices of a world and records them for charts.
func (c *Console) worldPrices(ctx context.Context, w *world.World) ([]Price, error) {
	prices, err := c.cfg.Prices(ctx, w)
	if err == nil {
		recorderOf(w).record(w, prices)
	}
	return prices, err
}
