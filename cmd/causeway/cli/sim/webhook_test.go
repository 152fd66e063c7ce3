package sim

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
)

func TestSimWebhook(t *testing.T) {
	t.Parallel()
	l := simLab{t: t, operator: address}
	l.shows("world create hooks clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	for name, format := range map[string]struct{ flag, want string }{
		"text": {"", "transaction.pending  0.5 BTC on BTC, revision 1  signature valid"},
		"json": {" -o json", `"type":"transaction.pending"`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			lines, out := io.Pipe()
			cmd := Command("test")
			cmd.SetArgs(strings.Fields("webhook listen --world hooks --operator " + address + format.flag))
			cmd.SetOut(out)
			cmd.SetErr(io.Discard)
			done := make(chan error)
			go func() { done <- cmd.ExecuteContext(ctx) }()
			for { // the receiver is there
				if listed, _, _ := l.run("webhook", "list", "--world", "hooks"); strings.Contains(listed, "listen") {
					break
				}
			}
			paid := make(chan struct{})
			go func() {
				defer close(paid)
				l.shows("deposit --currency BTC --amount 0.5 --profile a --mine --world hooks")
			}()
			for scanner := bufio.NewScanner(lines); scanner.Scan(); {
				if strings.Contains(scanner.Text(), format.want) {
					break
				}
			}
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			<-paid
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			_ = out.Close()
			if listed, _, _ := l.run("webhook", "list", "--world", "hooks"); strings.Contains(listed, "listen") {
				t.Errorf("the receiver is still there: %s", listed)
			}
		})
	}
	l.shows("webhook put shop http://127.0.0.1:9/ account=a --world hooks", "shop", "whsec_")
	l.shows("webhook remove shop --world hooks")
	l.fails("webhook put Shop http://127.0.0.1:9/ --world hooks", 2, "lower case")
	l.fails("webhook remove shop --world hooks", 2, "not_found")
	l.shows("world delete hooks")
}
