package test_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/telemetry/telemetrytest"
	"causeway/test/driver"
)

const resolvePath = "/v1/recipients/resolve-bank-account"

// TestPrivacy plants values in every place where a client or an operator can put one and searches for
// them in the debug log, the metrics, the traces and the error texts.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	const (
		account  = "3141592653"
		key      = "planted-client-key-7c1f"
		stray    = "planted-stray-key-90ab"
		paystack = "sk_live_planted_2f3e"
		appID    = "planted-app-id-5d6c"
		address  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		memo     = "planted-memo-11aa"
		wif      = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
		query    = "planted-query-33dd"
		document = "8001015009087"
		passport = "P1A2N3T4E5D"
		header   = "planted-header-44ee" // in headers that OpenTelemetry reads
	)
	traces := telemetrytest.New(t)
	c := driver.Start(t, binary, "OTEL_EXPORTER_OTLP_ENDPOINT="+traces.URL,
		"CAUSEWAY_LOG__LEVEL=debug", "CAUSEWAY_AUTH__RECIPIENTS=required", "CAUSEWAY_AUTH__KEYS="+key,
		"CAUSEWAY_PAYSTACK__KEYS__NG="+paystack, "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID="+appID)

	var replies []driver.Reply
	post := func(path, body, bearer string) driver.Reply {
		r := driver.Do(t, http.MethodPost, c.API+path, body, "Authorization", "Bearer "+bearer,
			"User-Agent", header, "X-Forwarded-For", header, "Tracestate", "vendor="+header, "Baggage", "k="+header,
			"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		replies = append(replies, r)
		return r
	}
	ng := func(bank, number string) string {
		return `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"` + bank + `","account_number":"` + number + `"}`
	}
	found := post(resolvePath, ng("000013", account), key)
	var name string
	if found.Status == 200 {
		name = found.JSON(t)["data"].(map[string]any)["account_name"].(string)
	}
	good := post(resolvePath, ng("001", "3141592200"), key)
	if good.Status != 200 {
		t.Fatalf("%d %s", good.Status, good.Body)
	}
	magicName := good.JSON(t)["data"].(map[string]any)["account_name"].(string)
	for _, suffix := range []string{"404", "409", "206", "207", "309", "429", "500", "503", "555"} {
		post(resolvePath, ng("001", "3141592"+suffix), key)
	}
	post(resolvePath, ng("000013", account+"9"), key) // too long: an error that must not quote it
	post(resolvePath, ng("58", account), key)
	za := func(suffix, kind, number string) driver.Reply {
		return post(resolvePath, `{"currency_id":"ZAR","country_id":"ZA","channel":"bank_transfer","bank_code":"001",`+
			`"account_number":"3141592`+suffix+`","account_name":"Planted Person","document_type":"`+kind+`","document_number":"`+number+`"}`, key)
	}
	for _, suffix := range []string{"200", "404", "409", "206", "309", "429", "500", "503"} {
		za(suffix, "identity_number", document)
	}
	if r := za("200", "passport_number", passport); r.Status != 200 || bytes.Contains(r.Body, []byte(passport)) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	za("200", document, passport)                       // the values in the wrong fields
	za("200", "identity_number", document+"_"+passport) // not a document number
	post(resolvePath, ng("000013", account), stray)
	for _, body := range []map[string]string{
		{"currency": "BTC", "address": address, "memo": memo}, {"currency": "BTC", "address": wif}, {"currency": "ETH", "address": address}, {"currency": "NOPE", "address": address},
	} {
		body["type"] = "address"
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		post("/v1/validate", string(text), stray)
	}
	driver.Get(t, c.API+"/v1/banks?account_number="+account+"&q="+query)
	driver.Get(t, c.API+"/v1/nothing/"+account+"?key="+query)
	metrics := string(driver.Get(t, c.Operator+"/metrics").Body)
	if err := c.Stop(); err != nil { // the last lines of the log are written
		t.Error(err)
	}

	private := []string{account, "3141592", key, stray, paystack, appID, address, memo, wif, query, header, magicName, document, passport, "Planted Person"}
	if name != "" {
		private = append(private, name)
	}
	if !strings.Contains(c.Log(), `"resolve-account"`) || !strings.Contains(metrics, "resolve-account") {
		t.Fatal("the log or the metrics do not contain the planted requests")
	}
	for _, span := range []string{"resolve-account", "paystack resolve"} { // a request, and a call of a provider
		if !bytes.Contains(traces.Raw(), []byte(span)) {
			t.Fatalf("the traces do not contain %q", span)
		}
	}
	for _, value := range private {
		for line := range strings.Lines(c.Log()) {
			if strings.Contains(line, value) {
				t.Errorf("the log has %q: %s", value, line)
			}
		}
		if bytes.Contains(traces.Raw(), []byte(value)) {
			t.Errorf("the traces have %q", value)
		}
		if strings.Contains(metrics, value) {
			t.Errorf("the metrics have %q", value)
		}
	}
	for _, r := range replies {
		if r.Status == 200 {
			continue
		}
		for _, value := range []string{account, key, stray, paystack, appID, magicName, document, passport, "Planted Person"} {
			if strings.Contains(string(r.Body), value) {
				t.Errorf("an error has %q: %s", value, r.Body)
			}
		}
	}
}
