package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"causeway/simulator"
)

const (
	patience = 10 * time.Second // for a client that does not read
	pulse    = 15 * time.Second // without a change, after which a comment keeps the connection
)

// patch is what changed in a panel. Order is there where items came, went or moved.
type patch struct {
	Panel string            `json:"panel"`
	Order []string          `json:"order,omitempty"`
	Items map[string]string `json:"items"` // HTML by key
}

// viewer is one stream: what it has sent of each panel.
type viewer struct {
	console *Console
	w       http.ResponseWriter
	sent    map[string]map[string]string
	order   map[string][]string
	quiet   time.Duration // for so long nothing was sent
}

// stream sends the changes of a world as server-sent events: "patch" for a panel, "over" when the world is gone. It ends with the client, the world or
// the console.
func (c *Console) stream(w http.ResponseWriter, r *http.Request) {
	world := c.world(w, r)
	if world == nil {
		return
	}
	select {
	case c.streams <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "10")
		c.refuse(w, http.StatusServiceUnavailable, "Too many consoles are open; close one.")
		return
	}
	defer func() { <-c.streams }()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	v := &viewer{console: c, w: w, sent: map[string]map[string]string{}, order: map[string][]string{}}
	wait := time.NewTimer(0)
	defer wait.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-c.closed:
			return
		case <-wait.C:
		}
		if !v.next(r, world.ID()) {
			return
		}
		wait.Reset(c.cfg.Every)
	}
}

// next sends what has changed, and reports whether the stream goes on. A world that was reset is followed to the one in its place.
func (v *viewer) next(r *http.Request, id string) bool {
	world, err := v.console.worlds.Find(id)
	if err != nil {
		text, _ := json.Marshal(message(err)) // a text
		_ = v.send("event: over\ndata: " + string(text) + "\n\n")
		return false
	}
	out, err := v.changes(r, world)
	if err != nil {
		return false
	}
	if out == "" {
		if v.quiet += v.console.cfg.Every; v.quiet < pulse {
			return true
		}
		out = ":\n\n"
	}
	return v.send(out) == nil
}

func (v *viewer) changes(r *http.Request, world *simulator.World) (string, error) {
	l := v.console.look(r.Context(), world, r.URL.Query().Get("pair"))
	var out bytes.Buffer
	for _, p := range l.panels() {
		change, err := v.change(p)
		if err != nil {
			return "", err
		}
		if len(change.Items) == 0 && change.Order == nil {
			continue
		}
		text, err := json.Marshal(change)
		if err != nil {
			return "", err
		}
		out.WriteString("event: patch\ndata: ")
		out.Write(text)
		out.WriteString("\n\n")
	}
	return out.String(), nil
}

// change renders a panel and keeps what the client does not have yet.
func (v *viewer) change(p panel) (patch, error) {
	before, now := v.sent[p.Name], make(map[string]string, len(p.Items))
	out := patch{Panel: p.Name, Items: map[string]string{}}
	order := make([]string, 0, len(p.Items))
	var text bytes.Buffer
	for _, i := range p.Items {
		text.Reset()
		if err := i.Node.Render(&text); err != nil {
			return out, err
		}
		order = append(order, i.Key)
		now[i.Key] = text.String()
		if was, there := before[i.Key]; !there || was != now[i.Key] {
			out.Items[i.Key] = now[i.Key]
		}
	}
	if !same(order, v.order[p.Name]) {
		out.Order = order
	}
	v.sent[p.Name], v.order[p.Name] = now, order
	return out, nil
}

func same(a, b []string) bool {
	if len(a) != len(b) || b == nil {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (v *viewer) send(text string) error {
	v.quiet = 0
	control := http.NewResponseController(v.w)
	_ = control.SetWriteDeadline(v.console.cfg.Clock().Add(patience)) // a recorder of a test has none
	if _, err := v.w.Write([]byte(text)); err != nil {                //nolint:gosec // it is no page, and what is HTML in it was escaped when it was rendered
		return err
	}
	return control.Flush()
}
