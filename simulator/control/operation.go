package control

import (
	"context"
	"net/http"
	"time"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// operation is one thing that the API can be asked for: how it is described, and who does it.
type operation struct {
	id, method, path string
	tag              string
	summary, doc     string

	query     []parameter
	takes     any             // an example of the body; nil: there is none, and one that is sent is not looked at
	more      []example       // of the body
	most      int64           // bytes of the body; 0: usualBody
	gives     any             // an example of the data, or a later
	said      string          // the sentence of the answer
	status    int             // of the answer; 0: 200
	formats   []string        // content types of an answer that is a file, where ?format asks for one
	errors    []apierror.Name // that it has beside those that every operation of its form has
	records   bool            // it changes the world of its path, and is recorded there
	takesLong bool            // it may take longer than a server waits by itself
	ready     bool            // the services of the world must be there before: see simulator.Desk
	changes   bool            // what it did is to show in the next answer: see simulator.Desk

	handle func(*call) (any, error)
}

// example is a body with what it is for.
type example struct {
	name string
	body any
}

// later makes an example when somebody asks for the description: it takes longer than all the rest of the table.
type later func() any

// example of the data.
func (o *operation) example() any {
	if made, ok := o.gives.(later); ok {
		return made()
	}
	return o.gives
}

// parameter is one of the query.
type parameter struct {
	name, doc string
	example   string
	enum      []string
}

const (
	usualBody  = 1 << 20
	importBody = 16 << 20
)

// call is one request with what is known of it.
type call struct {
	api  *api
	w    http.ResponseWriter
	r    *http.Request
	id   string // of the request
	op   *operation
	body []byte

	world  *world.World // that the path names
	unseen bool         // not all plain reads there were recorded before this call
	query  map[string]string

	entry    *journal.Open // of the journal that the call is recorded in
	recorded []byte        // the body there
}

// file is an answer that is no envelope.
type file struct {
	contentType string
	name        string // to be saved under; empty: to be shown
	body        []byte
}

// answer runs an operation.
func (c *call) answer(ctx context.Context, o *operation) {
	c.op = o
	data, err := c.run(ctx, o)
	if err != nil {
		c.fail(apiError(err))
		return
	}
	c.succeed(data)
}

func (c *call) run(ctx context.Context, o *operation) (any, error) {
	var err error
	if c.query, err = c.parameters(o.query); err != nil {
		return nil, err
	}
	if o.takes != nil {
		if err := c.receive(o); err != nil {
			return nil, err
		}
	}
	if id := c.r.PathValue("id"); id != "" {
		letGo, err := c.enter(o, id)
		if err != nil {
			return nil, err
		}
		defer letGo()
	}
	if o.takesLong { // the caller decides how long to wait
		limits := http.NewResponseController(c.w)
		_ = limits.SetReadDeadline(time.Time{})
		_ = limits.SetWriteDeadline(time.Time{})
	}
	desk := c.api.worlds.Desk()
	if o.ready {
		if err := desk.Ready(ctx, c.world); err != nil {
			return nil, err
		}
	}
	data, err := o.handle(c)
	if err == nil && o.changes {
		desk.Changed(ctx, c.world)
	}
	return data, err
}

// enter finds the world that the path names, where the operation is about one that is there. Whoever changes a world or waits for it uses it; whoever looks
// at it does not.
func (c *call) enter(o *operation, id string) (letGo func(), err error) {
	letGo = func() {}
	if id == world.Default {
		c.unseen = !c.api.Watch()
	}
	if o.id == "import-world" { // makes it
		return letGo, world.CheckID(id)
	}
	if c.world, err = c.api.find(id); err != nil {
		return letGo, err
	}
	if o.method != http.MethodGet || o.takesLong {
		letGo = c.api.worlds.Hold(c.world)
	}
	if o.records {
		c.record(c.world, c.r, c.body)
	}
	return letGo, nil
}

// record begins to record the call in a world's journal, or what somebody would send who wanted the same there.
func (c *call) record(w *world.World, as *http.Request, body []byte) {
	c.entry, c.recorded = w.Journal().BeginControl(c.op.id, as), body
}

// find finds a world that is there.
func (a *api) find(id string) (*world.World, error) {
	w, err := a.worlds.Find(id)
	if core.CodeOf(err) == core.NotFound {
		return nil, core.Errorf(core.NotFound,
			"There is no world %s; accepted: one that was made by POST %s/worlds, or by a request with its name in the header Sim-World. GET %s/worlds lists them", core.Quoted(id), Prefix, Prefix)
	}
	return w, err
}
