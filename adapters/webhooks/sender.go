package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"causeway/core"
)

// Options connect a Sender to the world.
type Options struct {
	// Clock is the machine's clock also in a sandbox: receivers refuse timestamps that differ from theirs by more
	// than five minutes.
	Clock   core.Clock
	Version string // of Causeway
	Render  func(core.Event) ([]byte, error)

	// Listeners returns the addresses that this process listens on. Nothing is sent to them.
	Listeners func() []net.Addr
	// Wrap replaces the connections of an endpoint, or changes what is sent; nil: neither.
	Wrap     func(endpoint string, next http.RoundTripper) http.RoundTripper
	Resolver *net.Resolver // nil: the resolver of the machine
	TLS      *tls.Config   // nil: the certificate authorities of the machine
}

// The bounds of a try.
const (
	timeLimit    = 10 * time.Second
	maxBody      = 4 << 10     // of the response, which is ignored; more ends the connection
	bodyTime     = time.Second // for that body
	maxRetryTime = time.Hour   // of Retry-After
)

// Sender sends events to the configured endpoints. It implements ports.WebhookSender.
type Sender struct {
	options   Options
	endpoints map[string]*client
}

// client is the client of one endpoint.
type client struct {
	name  string
	url   string
	signs []*standardwebhooks.Webhook // with the current secret, then the previous one
	http  http.Client
}

// New returns a sender to endpoints, whose configuration must pass Check.
func New(cfg Config, options Options) (*Sender, error) {
	s := &Sender{options, map[string]*client{}}
	for name, e := range cfg {
		c := &client{name: name, url: e.URL.Reveal()}
		for _, secret := range []core.Secret{e.Secret, e.PreviousSecret} {
			if secret == "" {
				continue
			}
			key, err := decodeSecret(secret)
			if err != nil {
				return nil, fmt.Errorf("webhooks.%s: secret %w", name, err)
			}
			sign, err := standardwebhooks.NewWebhookRaw(key)
			if err != nil {
				return nil, fmt.Errorf("webhooks.%s: secret cannot sign", name)
			}
			c.signs = append(c.signs, sign)
		}
		var transport http.RoundTripper = options.transport(name, e.AllowPrivate)
		if options.Wrap != nil {
			transport = options.Wrap(name, transport)
		}
		c.http = http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		s.endpoints[name] = c
	}
	return s, nil
}

// Send sends an event to an endpoint. It implements ports.WebhookSender.
func (s *Sender) Send(ctx context.Context, endpoint string, event core.Event) error {
	body, err := s.options.Render(event)
	if err != nil {
		return core.Errorf(core.Unavailable, "the event cannot be rendered") // err may have personal data
	}
	_, err = s.Post(ctx, endpoint, event.ID, body)
	return err
}

// Post signs and sends a message to an endpoint, and returns the status of the response; 0: there was none. It returns
// the errors of Send.
func (s *Sender) Post(ctx context.Context, endpoint, id string, body []byte) (status int, err error) {
	c := s.endpoints[endpoint]
	if c == nil {
		return 0, core.Errorf(core.Unavailable, "is not in the settings")
	}
	limited, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, core.Errorf(core.Unavailable, "has a URL that cannot be called")
	}
	if err := c.sign(request.Header, id, s.options.Clock(), body); err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Causeway/"+s.options.Version)
	// The same message may be sent again over another connection if the receiver closes an idle one meanwhile. The
	// header is not sent (see http.Transport).
	request.Header["Idempotency-Key"] = []string{}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, unavailable(ctx, limited, err)
	}
	defer func() { _ = response.Body.Close() }()
	// The status decides. The body is read for the sake of the connection, which is then used again.
	defer time.AfterFunc(bodyTime, cancel).Stop()
	_, _ = io.CopyN(io.Discard, response.Body, maxBody)
	return response.StatusCode, judge(response, s.options.Clock())
}

// sign adds the headers of Standard Webhooks, with a signature for each secret.
func (c *client) sign(header http.Header, id string, now time.Time, body []byte) error {
	var signatures []string
	for _, w := range c.signs {
		signature, err := w.Sign(id, now, body)
		if err != nil {
			return core.Errorf(core.Unavailable, "the event cannot be signed")
		}
		signatures = append(signatures, signature)
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}
