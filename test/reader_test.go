package test_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"causeway/test/driver"
)

// TestWhoDoesNotReadIsCutOff when the time for writing an answer is over, and costs nobody else anything.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_LIMITS__DEFAULT=none")
	list := "GET /v1/pairs HTTP/1.1\r\nHost: x\r\n\r\n"
	conn := connect(t, strings.TrimPrefix(c.API, "http://"), strings.Repeat(list, 1000)) // more than any buffer holds
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if _, err := conn.Write([]byte(list)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("who does not read is waited for")
		} else if err != nil {
			break // nobody is there any more
		}
		<-again.C
	}
	if r := driver.Get(t, c.API+"/v1/pairs"); r.Status != http.StatusOK {
		t.Errorf("another one got %d", r.Status)
	}
}
