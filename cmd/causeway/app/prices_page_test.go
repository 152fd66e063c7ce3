package app

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// TestTheOperatorSeesEveryPriceWithItsVotes reads the page of prices and the metrics of a sandbox that just started.
func TestTheOperatorSeesEveryPriceWithItsVotes(t *testing.T) {
	t.Parallel()
	_, operator := running(t, newTestApp(t, settings(t), zap.NewNop()))
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	read := func(path string) (string, http.Header) {
		t.Helper()
		resp, err := client.Get(operator.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
		}
		return string(body), resp.Header
	}

	page, header := read("/debug/prices")
	for _, want := range []string{"BTCNGN</a>", `id="USDTNGN"`, "<td>quidax</td>", "by treaty", "quorum 2", "not used: last_resort", `<th scope="row">coingecko</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if policy := header.Get("Content-Security-Policy"); strings.Contains(page, "<script") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("scripts could run: %s", header.Get("Content-Security-Policy"))
	}
	if one, _ := read("/debug/prices?id=BTCNGN"); !strings.Contains(one, "BTCNGN</a>") || strings.Contains(one, "ETHNGN") {
		t.Error("asked for one pair, it does not show that one alone")
	}
	if none, _ := read("/debug/prices?id=%3Cb%3E"); !strings.Contains(none, "No pair &lt;b&gt; has a price") {
		t.Error("an unknown id is not shown as what it is")
	}

	if style, header := read("/debug/page.css"); header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(page, "/debug/page.css") || style == "" {
		t.Errorf("the page has no style: %v", header)
	}

	metrics, _ := read("/metrics")
	for _, want := range []string{
		`causeway_price_families_used{class="major"} `, `causeway_price_confidence_ratio{class="tail"} 0.0`, `causeway_price_publications_rejected_total 0`,
		`causeway_source_last_success_timestamp_seconds{source="busha"} `, `causeway_source_excluded_markets{reason="last_resort",source="coingecko"} `,
		`causeway_pairs{class="fiat",status="fresh"} `, `causeway_source_observations_rejected_total{reason="inverted",source="okx"} 0`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics do not have %q", want)
		}
	}
}
