package faults

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

func saying(status int, contentType, body string) func(*Scene) {
	return func(x *Scene) { x.say(status, contentType, body) }
}

func with(header, value string, then func(*Scene)) func(*Scene) {
	return func(x *Scene) {
		x.w.Header().Set(header, value)
		then(x)
	}
}

// refusing refuses in the provider's own form; with a status of its own where none is given.
func refusing(status int, text string) func(*Scene) {
	return func(x *Scene) {
		usual, body := x.dialect.refuse(text)
		if status == 0 {
			status = usual
		}
		x.say(status, jsonType, body)
	}
}

// changed changes the document of a good answer.
func changed(change func(x *Scene, answer map[string]any)) func(*Scene) {
	return func(x *Scene) {
		a := x.about(x.Number)
		x.say(a.Code, jsonType, edited(a, func(answer map[string]any) { change(x, answer) }))
	}
}

func edited(a *httptest.ResponseRecorder, change func(map[string]any)) string {
	var answer map[string]any
	decoder := json.NewDecoder(a.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		return "the test does not understand the provider: " + err.Error()
	}
	change(answer)
	text, err := json.Marshal(answer)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// put changes what stands at a place, if the answer has such a place: one that denies an account has none.
func put(answer map[string]any, place []string, value any) {
	if within, member := below(answer, place); within != nil {
		within[member] = value
	}
}

func drop(answer map[string]any, place []string) {
	if within, member := below(answer, place); within != nil {
		delete(within, member)
	}
}

// below is where a member stands.
func below(answer map[string]any, place []string) (within map[string]any, member string) {
	for _, name := range place[:len(place)-1] {
		answer, _ = answer[name].(map[string]any)
	}
	if member = place[len(place)-1]; member == "account_number" && answer["phone_number"] != nil {
		member = "phone_number" // Kora's wallets
	}
	return answer, member
}

// announce adds to every object what nobody announced.
func announce(answer map[string]any) {
	for _, value := range answer {
		if below, ok := value.(map[string]any); ok {
			announce(below)
		}
	}
	answer["unannounced"] = map[string]any{"account_name": Nobody, "values": []any{1, nil, true}}
}

// half sends the first half of an answer that was promised whole.
func (x *Scene) half() {
	a := x.about(x.Number)
	x.w.Header().Set("Content-Length", a.Header().Get("Content-Length"))
	x.w.WriteHeader(a.Code)
	_, _ = x.w.Write(a.Body.Bytes()[:a.Body.Len()/2])
	_ = http.NewResponseController(x.w).Flush()
}

// dribble begins an answer and adds a blank now and then, until nobody listens any more.
func (x *Scene) dribble() {
	out := http.NewResponseController(x.w)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	x.w.WriteHeader(http.StatusOK)
	for {
		select {
		case <-x.r.Context().Done():
			return
		case <-tick.C:
			_, _ = x.w.Write([]byte(" "))
			_ = out.Flush()
		}
	}
}

// flood answers behind five megabytes of blanks, as long as somebody reads them.
func (x *Scene) flood() {
	blanks, written := strings.Repeat(" ", 64<<10), 0
	x.w.Header().Set("Content-Type", jsonType)
	for written < 5<<20 {
		n, err := io.WriteString(x.w, blanks)
		if err != nil {
			return
		}
		written += n
	}
	_, _ = x.w.Write(x.about(x.Number).Body.Bytes())
}

// after answers as the provider would, late.
func (x *Scene) after(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		a := x.about(x.Number)
		x.say(a.Code, jsonType, a.Body.String())
	case <-x.r.Context().Done():
	}
}

// unknown says in the provider's words that there is no such account, with the status of an outage.
func (x *Scene) unknown(status int) {
	x.say(status, jsonType, strings.ReplaceAll(x.about(x.None).Body.String(), x.None, x.Number))
}

// elsewhere answers about somebody else. Where answers have no number, it is at another institution that he is.
func (x *Scene) elsewhere() {
	a := x.about(x.Other)
	if x.dialect.about[len(x.dialect.about)-1] != "institutionCode" {
		x.say(a.Code, jsonType, a.Body.String())
		return
	}
	x.say(a.Code, jsonType, edited(a, func(answer map[string]any) { put(answer, x.dialect.about, "000099") }))
}
