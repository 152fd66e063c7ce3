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

// venues is a production-mode process that reads prices from simulated venues.
type venues struct {
	t         *testing.T
	providers upstreamInstance
	service   *driver.Instance
}

// control calls the control API of the venues.
func (v venues) control(method, path, body string) driver.Reply {
	v.t.Helper()
	r := driver.Do(v.t, method, v.providers.Operator+"/_sim/v1/worlds/default"+path, body)
	if r.Status/100 != 2 {
		v.t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
	}
	return r
}

// metric returns the sum of a metric over the series whose labels match; 0 if there are none.
func (v venues) metric(name string, labels ...string) float64 {
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

// waitFor waits until a condition holds.
func (v venues) waitFor(what string, condition func() bool) {
	v.t.Helper()
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for deadline := time.Now().Add(3 * time.Minute); !condition(); <-tick.C {
		if time.Now().After(deadline) {
			metrics := regexp.MustCompile(`(?m)^causeway_(upstream_(socket|requests)|source_excluded).*(kraken|binance).*$`).FindAll(driver.Get(v.t, v.service.Operator+"/metrics").Body, -1)
			v.t.Fatalf("waited in vain: %s\n%s", what, bytes.Join(metrics, []byte("\n")))
		}
	}
}

func (v venues) streams(venue string) bool {
	return v.metric("causeway_upstream_socket_up", `provider="`+venue+`"`) == 1
}

func (v venues) polled(venue string) float64 {
	return v.metric("causeway_upstream_requests_total", `op="[a-z_]+"`, `outcome="[a-z_]+"`, `provider="`+venue+`"`)
}

func (v venues) connects(venue string) float64 {
	return v.metric("causeway_upstream_socket_connects_total", `outcome="ok"`, `provider="`+venue+`"`)
}

func (v venues) excluded(venue, reason string) float64 {
	return v.metric("causeway_source_excluded_markets", `reason="`+reason+`"`, `source="`+venue+`"`)
}

// pair returns the status of a pair.
func (v venues) pair(id string) (status string) {
	v.t.Helper()
	var body struct {
		Data struct{ Status string }
	}
	if err := json.Unmarshal(driver.Get(v.t, v.service.API+"/v1/pairs/"+id).Body, &body); err != nil {
		v.t.Fatal(err)
	}
	return body.Data.Status
}

// TestSockets_FailOverToPolling streams prices from Kraken and Binance over TCP. A market or a fault that
// a socket does not deliver is polled.
func TestSockets_FailOverToPolling(t *testing.T) {
	t.Parallel()
	providers := startUpstream(t)
	v := venues{t, providers, driver.Start(t, binary, append(providers.env, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_KRAKEN__SOCKET=true", "CAUSEWAY_BINANCE__SOCKET=true")...)}
	both := func() bool { return v.streams("kraken") && v.streams("binance") }
	v.waitFor("both stream", both)
	v.waitFor("BTCUSDT is fresh", func() bool { return v.pair("BTCUSDT") == "fresh" })

	before := v.polled("binance")
	v.control(http.MethodPut, "/market/BTCUSDT", `{"venues":{"binance":{"state":"absent"}}}`)
	v.waitFor("a market that is not streamed is polled", func() bool { return v.polled("binance") > before && both() })

	was := v.connects("kraken") + v.connects("binance")
	v.control(http.MethodPost, "/reset", "")
	v.waitFor("both stream again after a reset", func() bool { return v.connects("kraken")+v.connects("binance") >= was+2 && both() })

	before = v.polled("kraken")
	v.control(http.MethodPost, "/faults", `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"}}`)
	v.waitFor("polling meets the fault", func() bool {
		return !v.streams("kraken") && v.polled("kraken") > before && v.excluded("kraken", "inverted") > 0
	})
	v.waitFor("with one faulty venue of four BTCUSDT is fresh, and Binance streams", func() bool {
		return v.pair("BTCUSDT") == "fresh" && v.streams("binance")
	})
	if log := v.service.Log(); !strings.Contains(log, "websocket lost") {
		t.Errorf("the log has no lost stream: %s", log)
	}
}
