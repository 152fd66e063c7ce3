package addresses_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/addresses"
)

var update = flag.Bool("update", false, "rewrite the outcomes in testdata/<network>.json; review the difference")

// vector is one address with its outcome in the sandbox. Address, memo and source are given; the
// rest is reviewed.
type vector struct {
	Address  string  `json:"address"`
	Memo     *string `json:"memo,omitempty"`
	MemoType string  `json:"memo_type,omitempty"`
	Source   string  `json:"source"`

	Valid       bool             `json:"valid"`
	Reason      string           `json:"reason,omitempty"`
	Format      string           `json:"format,omitempty"`
	Environment core.NetworkKind `json:"environment,omitempty"`
	Checksum    bool             `json:"checksum,omitempty"`
	Normalized  string           `json:"normalized,omitempty"`
	Warnings    []string         `json:"warnings,omitempty"`
	Possible    []string         `json:"possible_networks,omitempty"`
}

// TestVectors validates the vectors of every network in use; each network has a file.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, n := range addresses.Registry() {
		if n.Retired != "" {
			continue
		}
		t.Run(n.Code, func(t *testing.T) {
			t.Parallel()
			s := only(t, n.Code)
			name := filepath.Join("testdata", strings.ToLower(n.Code)+".json")
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want []vector
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			got := make([]vector, len(want))
			for i, v := range want {
				got[i] = judge(t, s, v)
			}
			if *update {
				write(t, name, got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			good := 0
			for _, v := range got {
				if v.Valid {
					good++
				}
			}
			if good == 0 || good == len(got) {
				t.Errorf("%s has %d good vectors of %d; good and bad ones are needed", name, good, len(got))
			}
		})
	}
}

// only returns a sandbox service with one currency, COIN, on one network.
func only(t testing.TB, code string) *addresses.Service {
	t.Helper()
	s, err := addresses.New([]core.Currency{{Code: "COIN", Type: core.Crypto, Networks: []string{code}}}, addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func judge(t testing.TB, s *addresses.Service, v vector) vector {
	t.Helper()
	got, err := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(v.Address), Memo: v.Memo, MemoType: v.MemoType})
	if err != nil {
		t.Fatal(err)
	}
	return vector{
		Address: v.Address, Memo: v.Memo, MemoType: v.MemoType, Source: v.Source,
		Valid: got.Valid, Reason: got.Reason, Format: got.Format, Environment: got.Environment,
		Checksum: got.Checksum, Normalized: got.Normalized, Warnings: got.Warnings, Possible: got.PossibleNetworks,
	}
}

func write(t testing.TB, name string, list []vector) {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(list); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
