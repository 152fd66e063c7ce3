package clients_test

import (
	"bufio"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"causeway/adapters/webhooks"
	"causeway/core"
)

// TestReceiver sends webhooks to a receiver that verifies them with the npm package standardwebhooks.
func TestReceiver(t *testing.T) {
	t.Parallel()
	node := exec.CommandContext(t.Context(), "node", "receiver.mjs")
	node.Dir = "receiver"
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Wait() }) // t.Context ends before
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	const current, previous = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfC9cO2Y4w="
	for name, c := range map[string]struct {
		secret core.Secret // of the receiver
		late   time.Duration
		want   string // empty: accepted
	}{
		"current secret":  {current, 0, ""},
		"previous secret": {previous, 0, ""},
		"another secret":  {"whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 0, "answered 400"},
		"an old message":  {current, 6 * time.Minute, "answered 400"},
		"a new message":   {current, -6 * time.Minute, "answered 400"},
	} {
		t.Run(name, func(t *testing.T) {
			to := "http://127.0.0.1:" + strings.TrimSpace(port) + "/" + url.PathEscape(c.secret.Reveal())
			sender, err := webhooks.New(webhooks.Config{"shop": {
				URL: core.Secret(to), Secret: current, PreviousSecret: previous, AllowPrivate: true,
			}}, webhooks.Options{
				Clock: func() time.Time { return time.Now().Add(-c.late) },
				Render: func(e core.Event) ([]byte, error) {
					return []byte(`{"id":"` + e.ID + `","data":{"name":"Ọláwálé"}}`), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			err = sender.Send(t.Context(), "shop", core.Event{ID: "evt_0123456789abcdef"})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
