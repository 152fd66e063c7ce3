package test_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/test/driver"
)

// venues is a production-mode process that streams from the simulated venues, with the control of these.
type venues struct {
	t         *testing.T
	providers upstreamInstance
	service   *driver.Instance
}

// control does something to the world of the venues.
func (v venues) control(method, path, body string) {
	v.t.Helper()
	if r := driver.Do(v.t, method, v.providers.Operator+"/_sim/v1/worlds/default"+path, body); r.Status/100 != 2 {
		v.t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
	}
}

// figure is a metric of the process, its labels in their order: the sum of those that fit; 0 where none is there.
func (v venues) figure(name string, labels ...string) float64 {
	v.t.Helper()
	pattern := `(?m)^` + name + `\{` + strings.Join(labels, ",") + `\} (\S+)$`
	sum := 0.0
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(driver.Get(v.t, v.service.Operator+"/metrics").Body, -1) {
		f, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			v.t.Fatal(err)
		}
		sum += f
	}
	return sum
}

// comes waits until something is so.
func (v venues) comes(what string, so func() bool) {
	v.t.Helper()
	const patience = 3 * time.Minute
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !so(); <-tick.C {
		if time.Now().After(deadline) {
			told := regexp.MustCompile(`(?m)^causeway_(upstream_(socket|requests)|source_excluded).*(kraken|binance).*$`).FindAll(driver.Get(v.t, v.service.Operator+"/metrics").Body, -1)
			v.t.Fatalf("within %s it did not come that %s\n%s", patience, what, bytes.Join(told, []byte("\n")))
		}
	}
}

func (v venues) streams(venue string) bool {
	return v.figure("causeway_upstream_socket_up", `provider="`+venue+`"`) == 1
}

func (v venues) polled(venue string) float64 {
	return v.figure("causeway_upstream_requests_total", `op="[a-z_]+"`, `outcome="[a-z_]+"`, `provider="`+venue+`"`)
}

func (v venues) connects(venue string) float64 {
	return v.figure("causeway_upstream_socket_connects_total", `outcome="ok"`, `provider="`+venue+`"`)
}

func (v venues) excluded(venue, reason string) float64 {
	return v.figure("causeway_source_excluded_markets", `reason="`+reason+`"`, `source="`+venue+`"`)
}

// pair is what a client is told of a pair.
func (v venues) pair(id string) (status string) {
	v.t.Helper()
	var answer struct {
		Data struct{ Status string }
	}
	if err := json.Unmarshal(driver.Get(v.t, v.service.API+"/v1/pairs/"+id).Body, &answer); err != nil {
		v.t.Fatal(err)
	}
	return answer.Data.Status
}

// TestSockets_FailOverToPolling has one hear the sockets of Kraken and Binance over TCP: prices come that way, and whatever is done to a
// venue ends its socket, so that polling takes over and meets it.
func TestSockets_FailOverToPolling(t *testing.T) {
	t.Parallel()
	providers := startUpstream(t)
	v := venues{t, providers, driver.Start(t, binary, append(providers.env, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_KRAKEN__SOCKET=true", "CAUSEWAY_BINANCE__SOCKET=true")...)}
	both := func() bool { return v.streams("kraken") && v.streams("binance") }
	v.comes("both stream", both)
	if status := v.pair("BTCUSDT"); status != "fresh" {
		t.Errorf("BTCUSDT is %s", status)
	}

	before := v.polled("binance")
	v.control(http.MethodPut, "/market/BTCUSDT", `{"venues":{"binance":{"state":"absent"}}}`)
	v.comes("what is not streamed any more is polled", func() bool { return v.polled("binance") > before && both() })

	was := v.connects("kraken") + v.connects("binance")
	v.control(http.MethodPost, "/reset", "")
	v.comes("both stream from the new world", func() bool { return v.connects("kraken")+v.connects("binance") >= was+2 && both() })

	before = v.polled("kraken")
	v.control(http.MethodPost, "/faults", `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"}}`)
	v.comes("the fault is met by polling", func() bool {
		return !v.streams("kraken") && v.polled("kraken") > before && v.excluded("kraken", "inverted") > 0
	})
	if status := v.pair("BTCUSDT"); status != "fresh" || !v.streams("binance") {
		t.Errorf("one venue of four lies, and BTCUSDT is %s; Binance streams: %t", status, v.streams("binance"))
	}
	if log := v.service.Log(); !strings.Contains(log, "websocket lost") {
		t.Errorf("the operator is not told that streams were lost: %s", log)
	}
}
