package simulator

import (
	"net/http"
	"slices"
)

// entry is a kind of fault, tried at one of four venues of a pair, where the other three do; and at an answer of ours.
func (k Kind) entry() FaultEntry {
	e := Effect{Kind: k}
	switch k {
	case FaultStatus:
		e.Status = http.StatusServiceUnavailable
	case FaultLatency, FaultSlowHeaders, FaultDribble:
		e.MS = 300
	default:
	}
	out := FaultEntry{Kind: k, Title: kindTitles[k], Planes: k.Planes(), Takes: slices.Clone(kinds[k].takes), Try: Sample{
		Setup:   []Request{creating(Options{ID: placeholder}), arming(Rule{Match: Match{Plane: Upstream, Provider: OKX}, Effect: e})},
		Request: asking("/v1/pairs/BTCUSDT"),
		Want:    Want{Status: http.StatusOK, PairStatus: []string{"fresh"}},
	}}
	if kinds[k].edge {
		out.TryEdge = &Sample{
			Setup:   []Request{creating(Options{ID: placeholder}), arming(Rule{Match: Match{Plane: Edge, Operation: "list-currencies"}, Effect: e})},
			Request: asking("/v1/currencies"),
			Want:    k.wantOnEdge(),
		}
	}
	return out
}

// wantOnEdge is what comes of the first fault of a world, where our own answer is what it befalls.
func (k Kind) wantOnEdge() Want {
	want := Want{Status: http.StatusOK, Applied: "fault:f1"}
	switch k {
	case FaultStatus:
		want.Status, want.Error = http.StatusServiceUnavailable, "service_unavailable"
	case FaultHang, FaultReset:
		want = Want{Broken: true}
	case FaultRedirect:
		want.Status, want.Broken = http.StatusFound, true
	case FaultHTML, FaultEmpty, FaultTruncate, FaultMalformed, FaultDuplicate:
		want.Broken = true
	default:
	}
	return want
}
