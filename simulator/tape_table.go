package simulator

import (
	"encoding/json"
	"net/http"
	"time"
)

// TapeSample is a tape that is ready to be played. What may be on one the control API's document says.
type TapeSample struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Try   Sample `json:"try"`
}

// tapeSamples are of one venue of four: the price is that of the other three.
func tapeSamples() []TapeSample {
	const tickers = "/api/v5/market/tickers"
	played := func(e ...TapeEntry) Sample {
		return Sample{
			Setup: []Request{
				creating(Options{ID: placeholder, Clock: StartOptions{Frozen: true}}), asking("/v1/pairs/BTCUSDT"),
				controlling("/tapes", Tape{Lasts: Duration(time.Minute), Entries: e}), advancing("20s"),
			},
			Request: asking("/v1/pairs/BTCUSDT"), Want: Want{Status: http.StatusOK, PairStatus: []string{"fresh"}},
		}
	}
	return []TapeSample{
		{"recorded_answer", "A venue says what it once said: here that it has one market, far from where it is now", played(TapeEntry{
			Provider: OKX, Path: tickers, Query: map[string]string{"instType": "SPOT"}, Status: http.StatusOK,
			Body: json.RawMessage(`{"code":"0","msg":"","data":[{"instType":"SPOT","instId":"BTC-USDT","last":"10","askPx":"10.1","askSz":"1","bidPx":"10","bidSz":"1","ts":"1795262400000"}]}`),
		})},
		{"recorded_silence", "No answer comes, as when the connection broke while it was recorded", played(TapeEntry{Provider: OKX, Path: tickers})},
	}
}

// tapeParameters are the query parameters that an entry of a tape may ask for: those that choose among markets. A key in a query is none of them.
var tapeParameters = []string{
	"base", "category", "counter", "currency", "ids", "include_24hr_change", "include_last_updated_at", "instId", "instType", "pair", "precision", "quotes",
	"symbol", "symbols", "type", "vs_currencies",
}

// tapeHeaders are the headers that an answer on a tape may have: those that somebody who asks about prices acts on.
var tapeHeaders = []string{
	"Cache-Control", "Content-Type", "Etag", "Last-Modified", "Retry-After", "X-Bapi-Limit", "X-Bapi-Limit-Status", "X-Mbx-Used-Weight", "X-Mbx-Used-Weight-1m",
}

// unrecorded are names of members, in lower case and with letters alone, that tell of people or open doors: no answer about prices has one.
var unrecorded = map[string]bool{
	"accesstoken": true, "accountname": true, "accountno": true, "accountnumber": true, "apikey": true, "authorization": true, "bankaccount": true,
	"beneficiaryname": true, "customername": true, "email": true, "firstname": true, "fullname": true, "lastname": true, "msisdn": true, "password": true,
	"phone": true, "phonenumber": true, "recipientname": true, "refreshtoken": true, "secret": true, "secretkey": true, "sessionid": true, "signature": true,
	"token": true,
}
