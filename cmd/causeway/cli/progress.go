package cli

import (
	"fmt"
	"os"
	"time"
)

const (
	progressEvery = 300 * time.Millisecond
	progressCheck = 1024 // lines between looks at the clock
)

// progress tells a person at a terminal how far a list is. Anywhere else it is silent.
type progress struct {
	out     *os.File
	lines   int
	began   time.Time
	shown   time.Time
	visible bool
}

func newProgress(out *os.File) *progress {
	now := time.Now()
	return &progress{out: out, began: now, shown: now, visible: isTerminal(out)}
}

// step counts a line.
func (p *progress) step() {
	p.lines++
	if !p.visible || p.lines%progressCheck != 0 {
		return
	}
	if now := time.Now(); now.Sub(p.shown) >= progressEvery {
		p.shown = now
		p.show("\r")
	}
}

func (p *progress) show(before string) {
	perSecond := int64(p.lines) * int64(time.Second) / max(1, int64(time.Since(p.began)))
	_, _ = fmt.Fprintf(p.out, "%s%d lines, %d a second", before, p.lines, perSecond)
}

// end shows the last count.
func (p *progress) end() error {
	if !p.visible {
		return nil
	}
	p.show("\r")
	_, err := fmt.Fprintln(p.out)
	return err
}
