package wiretest

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/coder/websocket"

	"causeway/simulator/wire"
)

// Split is a network with one transport for WebSockets and one for everything else.
func Split(sockets, rest http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Upgrade") != "" {
			return sockets.RoundTrip(r)
		}
		return rest.RoundTrip(r)
	})
}

// Resetting is a network on which every connection is reset.
func Resetting() http.RoundTripper {
	return transport(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	})
}

// Speaking is a network in process on which every request opens a WebSocket. The server calls speak
// on each connection, which ends when speak returns.
func Speaking(speak func(l *Line)) http.RoundTripper {
	return wire.Loopback(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		r.URL.Scheme, r.URL.Host = "https", r.Host
		l := &Line{Request: r, conn: conn, heard: make(chan string, 16)}
		go l.listen(ctx)
		speak(l)
		cancel()
		_ = conn.CloseNow()
		l.Gone()
	}))
}

// Line is the server's end of a WebSocket. It answers pings by itself.
type Line struct {
	Request *http.Request
	conn    *websocket.Conn
	heard   chan string
}

func (l *Line) listen(ctx context.Context) {
	defer close(l.heard)
	for {
		_, message, err := l.conn.Read(ctx)
		if err != nil {
			return
		}
		l.heard <- string(message)
	}
}

// Hear returns the client's next message, or "" if it has closed the connection.
func (l *Line) Hear() string { return <-l.heard }

// Gone reads messages until the client has closed the connection.
func (l *Line) Gone() {
	for l.Hear() != "" {
		continue
	}
}

// Say sends messages. It ignores a closed connection.
func (l *Line) Say(messages ...string) {
	for _, m := range messages {
		_ = l.conn.Write(context.Background(), websocket.MessageText, []byte(m))
	}
}

// Half sends the beginning of a message without its end.
func (l *Line) Half(text string) {
	if w, err := l.conn.Writer(context.Background(), websocket.MessageText); err == nil {
		_, _ = w.Write([]byte(text))
	}
}

// Close closes the connection with a code.
func (l *Line) Close(code websocket.StatusCode) {
	_ = l.conn.Close(code, "a reason that must not be repeated")
}

// Watched returns a transport, and a function that waits until a client has processed the first
// messages of a WebSocket: complete messages that contain all the texts. A client that reads on has
// processed what it read before.
func Watched(of http.RoundTripper, texts ...string) (watched http.RoundTripper, wait func()) {
	processed := make(chan struct{})
	done := sync.OnceFunc(func() { close(processed) })
	return transport(func(r *http.Request) (*http.Response, error) {
		response, err := of.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
			return response, err
		}
		if body, ok := response.Body.(io.ReadWriteCloser); ok {
			response.Body = &watchedBody{ReadWriteCloser: body, texts: texts, done: done}
		}
		return response, nil
	}), func() { <-processed }
}

type watchedBody struct {
	io.ReadWriteCloser
	texts []string
	seen  []byte
	done  func()
}

// Read records what was read.
func (b *watchedBody) Read(p []byte) (int, error) {
	if b.all() {
		b.done()
	}
	n, err := b.ReadWriteCloser.Read(p)
	b.seen = append(b.seen, p[:n]...)
	return n, err
}

// all reports whether all texts were read, and the last message to its end. Messages are objects.
func (b *watchedBody) all() bool {
	for _, text := range b.texts {
		if !bytes.Contains(b.seen, []byte(text)) {
			return false
		}
	}
	return bytes.HasSuffix(b.seen, []byte("}"))
}
