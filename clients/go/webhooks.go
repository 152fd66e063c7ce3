package causeway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/clients/go/api"
)

// WebhookReceiver is an http.Handler that receives events. It refuses messages without a valid signature, and calls
// Handle once for each event that brings news: not for an event that it knows, and not for an older revision of a
// transaction than the newest one.
//
// It answers 500 if Handle fails, and the event comes again. Calls of Handle follow each other.
type WebhookReceiver struct {
	secrets []*standardwebhooks.Webhook
	handle  func(context.Context, api.Event) error

	mu     sync.Mutex
	events recent // ID of each event that was handled
	newest recent // revision by transaction
}

// NewWebhookReceiver returns a receiver for the secrets of an endpoint: the current one and, while it is replaced, the
// previous one. It remembers the last 10,000 events; a receiver that must remember more, or over restarts, keeps the
// IDs and revisions in its database as well.
func NewWebhookReceiver(handle func(context.Context, api.Event) error, secrets ...string) (*WebhookReceiver, error) {
	r := &WebhookReceiver{handle: handle, events: newRecent(), newest: newRecent()}
	for _, secret := range secrets {
		w, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, errors.New("causeway: the secret of a webhook is not whsec_ and base64")
		}
		r.secrets = append(r.secrets, w)
	}
	if len(r.secrets) == 0 {
		return nil, errors.New("causeway: a receiver of webhooks needs a secret")
	}
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *WebhookReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	const maxBody = 1 << 20
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	switch err := r.Receive(request.Context(), request.Header, body); {
	case errors.Is(err, ErrSignature):
		http.Error(w, err.Error(), http.StatusUnauthorized)
	case err != nil:
		http.Error(w, "the event was not handled", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// ErrSignature means that a message has no valid signature, or is more than five minutes old.
var ErrSignature = errors.New("causeway: the signature is not valid")

// Receive is ServeHTTP for other servers: it takes the headers and the body of a message as they arrived.
func (r *WebhookReceiver) Receive(ctx context.Context, header http.Header, body []byte) error {
	if !slices.ContainsFunc(r.secrets, func(w *standardwebhooks.Webhook) bool { return w.Verify(body, header) == nil }) {
		return ErrSignature
	}
	var event api.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	if event.ID == "" || event.Data.ID == "" { // such as webhook.test
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events.has(event.ID) || r.newest.values[event.Data.ID] >= event.Data.Revision {
		return nil
	}
	if err := r.handle(ctx, event); err != nil {
		return err
	}
	r.events.put(event.ID, 1)
	r.newest.put(event.Data.ID, event.Data.Revision)
	return nil
}

// recent remembers the last values by key.
type recent struct {
	values map[string]int64
	order  []string
}

func newRecent() recent { return recent{values: map[string]int64{}} }

func (r *recent) has(key string) bool { return r.values[key] > 0 }

func (r *recent) put(key string, value int64) {
	const most = 10_000
	if !r.has(key) {
		if r.order = append(r.order, key); len(r.order) > most {
			delete(r.values, r.order[0])
			r.order = r.order[1:]
		}
	}
	r.values[key] = value
}
