package control_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/control"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

const payee = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// chainBody is what these tests read of a chain.
type chainBody struct {
	Network     string
	Height      int64
	Hash        string
	FinalHeight int64     `json:"final_height"`
	NextBlock   time.Time `json:"next_block"`
	Blocks      []struct {
		Height int64
		Sent   []string
	}
	Transfers []transferBody
}

type transferBody struct {
	Hash, To, Memo, Amount, Currency, Contract string
	Output                                     int
	Failed, Dropped                            bool
	Height, Confirmations                      int64
}

type readBody struct {
	Height     int64
	ReadHeight *int64 `json:"read_height"`
	Problem    string
}

// chain returns the chain of the world a.
func (f *fixture) chain() chainBody {
	f.t.Helper()
	return decode[[]chainBody](f.t, f.do(http.MethodGet, "/worlds/a/chains", ""))[0]
}

func TestChains(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.frozenWorld("a")
	const place = "/worlds/a/chains/bsc"
	began := f.chain()
	r := f.ask(http.MethodPost, place+"/transfers", `{"to":"`+payee+`","currency":"usdt","amount":"10.50","outputs":[{"to":"`+payee+`","amount":"0.000000000000000001"}]}`)
	sent := decode[[]transferBody](t, r.Data)
	if r.status != http.StatusCreated || len(sent) != 2 || sent[0].Amount != "10.5" || sent[1].Output != 1 || sent[1].Amount != "0.000000000000000001" || sent[0].Height != 0 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if got := f.chain(); got.Height != began.Height || !got.NextBlock.Equal(w.Now().Add(5*time.Second)) {
		t.Errorf("sent: %+v", got)
	}
	f.do(http.MethodPost, "/worlds/a/clock/advance", `{"to":"next-event"}`)
	if got := f.chain(); got.Height != began.Height+1 || got.Transfers[0].Confirmations != 1 || got.Blocks[0].Sent[0] != sent[0].Hash || got.FinalHeight != got.Height-2 {
		t.Errorf("the next block: %+v", got)
	}
	mined := decode[readBody](t, f.do(http.MethodPost, place+"/mine", `{"blocks":9}`))
	if mined.Height != began.Height+10 || mined.ReadHeight != nil {
		t.Errorf("mined: %+v", mined)
	}
	for _, body := range []string{`{"to":"` + payee + `","currency":"USDT","amount":"1","contract":"fake"}`, `{"to":"` + payee + `","currency":"BNB","amount":"0","failed":true}`} {
		f.do(http.MethodPost, place+"/transfers", body)
	}
	f.do(http.MethodPost, place+"/mine", `{}`)
	f.do(http.MethodPost, place+"/reorganize", `{"depth":11,"drop":true}`)
	got := f.chain()
	if len(got.Transfers) != 4 || !got.Transfers[0].Dropped || got.Transfers[2].Contract != "fake" || !got.Transfers[3].Failed || got.Height != began.Height+12 {
		t.Errorf("reorganized: %+v", got)
	}
	blocks, err := w.Journal().Find(journal.Match{Operation: journal.OpBlock, Control: true}, 0)
	if err != nil || len(blocks) != 2 || blocks[1].Block.Empty != 9 || len(blocks[1].Block.Transactions) != 2 {
		t.Errorf("the journal has %+v, %v", blocks, err)
	}
}

// TestChains_Service checks the calls of the services of a world.
func TestChains_Service(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	f.rejected(http.MethodPost, "/worlds/a/chains/BSC/transfers", `{"profile_id":"user-1","currency":"USDT","amount":"1"}`, http.StatusBadRequest, "request_validation", "profile_id")
	f.start(control.Config{
		DepositAddress: func(_ context.Context, w *world.World, account, profile, currency, network string) (string, string, error) {
			if profile != "user-1" {
				return "", "", core.InvalidField("profile_id", "is unknown")
			}
			if got := w.ID() + account + currency + network; got != "akeyUSDTBSC" {
				t.Errorf("asked for %s", got)
			}
			return payee, "", nil
		},
		Synced: func(_ context.Context, w *world.World, network string) (int64, string) {
			c, err := w.Chains().Find(network)
			if err != nil {
				t.Error(err)
			}
			return c.Height(w.Now()) - 1, "the node is slow"
		},
	})
	sent := decode[[]transferBody](t, f.do(http.MethodPost, "/worlds/a/chains/BSC/transfers", `{"profile_id":"user-1","account":"key","currency":"USDT","amount":"1"}`))
	if sent[0].To != payee {
		t.Errorf("sent: %+v", sent)
	}
	mined := decode[readBody](t, f.do(http.MethodPost, "/worlds/a/chains/BSC/mine", `{"blocks":2}`))
	if mined.ReadHeight == nil || *mined.ReadHeight != mined.Height-1 || mined.Problem != "the node is slow" {
		t.Errorf("mined: %+v", mined)
	}
	f.rejected(http.MethodPost, "/worlds/a/chains/BSC/transfers", `{"profile_id":"user-2","currency":"USDT","amount":"1"}`, http.StatusBadRequest, "request_validation", "unknown")
}

func TestChains_Rejected(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	for _, c := range []struct{ path, body, field string }{
		{"BSC/transfers", `{"currency":"USDT","amount":"1"}`, "to"},
		{"BSC/transfers", `{"to":"` + payee + `","profile_id":"user-1","currency":"USDT","amount":"1"}`, "to"},
		{"BSC/transfers", `{"to":"` + payee + `","currency":"USDT","amount":1}`, "amount"},
		{"BSC/transfers", `{"to":"` + payee + `","currency":"USDT","amount":"1,5"}`, "amount"},
		{"BSC/transfers", `{"to":"` + payee + `","currency":"USDT","amount":"1","outputs":[{"amount":"1"}]}`, "outputs.0.to"},
		{"BSC/transfers", `{"to":"` + payee + `","currency":"USDT","amount":"1","contract":"real"}`, "contract"},
		{"BSC/mine", `{"blocks":-1}`, "blocks"},
		{"BSC/reorganize", `{"depth":0}`, "depth"},
		{"BSC/reorganize", `{"depth":1001}`, "depth"},
	} {
		f.rejected(http.MethodPost, "/worlds/a/chains/"+c.path, c.body, http.StatusBadRequest, "request_validation", c.field)
	}
	f.rejected(http.MethodPost, "/worlds/a/chains/TON/mine", `{}`, http.StatusNotFound, "not_found", "BSC")
	f.rejected(http.MethodPost, "/worlds", `{"id":"b","block_time":"10ms"}`, http.StatusBadRequest, "request_validation", "block_time")
}
