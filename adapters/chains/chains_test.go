package chains_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/chains"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

var update = flag.Bool("update", false, "rewrite the table in docs/deposits.md")

func TestNew(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		number    int
		name, url string
		header    string
	}{
		"evm:https://a.test":                {1, "evm-bsc", "https://a.test/", ""},
		"evm:https://a.test/v3/KEY":         {2, "evm-bsc-2", "https://a.test/v3/KEY", ""},
		"evm:https://u:p@a.test:8545/?k=v":  {3, "evm-bsc-3", "https://a.test:8545?k=v", "Basic dTpw"},
		"evm:http://127.0.0.1:8545/b?c=d&e": {1, "evm-bsc", "http://127.0.0.1:8545/b?c=d&e=", ""},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			mock := httpmock.NewMockTransport()
			mock.RegisterNoResponder(func(r *http.Request) (*http.Response, error) {
				if strings.TrimRight(r.URL.String(), "/") != strings.TrimRight(c.url, "/") || r.Header.Get("Authorization") != c.header {
					t.Errorf("got %s with %q, want %s with %q", r.URL, r.Header.Get("Authorization"), c.url, c.header)
				}
				return httpmock.NewStringResponse(http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":"0x38"}`), nil
			})
			w := upstreamtest.Open(t, mock)
			chain, err := chains.New(w.Factory, core.Chain{Network: "BSC", ID: "56"}, c.number, text)
			if err != nil || chain.Name() != c.name {
				t.Fatalf("got %v, %v, want %s", chain, err, c.name)
			}
			if err := chain.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNew_Faults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "unknown kind; accepted: evm, a colon and a URL",
		"https://planted":         "unknown kind; accepted: evm,",
		"esplora:https://planted": "unknown kind; accepted: evm,",
		"evm:planted":             "URL cannot be used; accepted: evm: and an http or https URL",
		"evm:ftp://planted":       "URL cannot be used",
		"evm:https://planted#a":   "URL cannot be used",
		"evm:https://a b/planted": "URL cannot be used",
		"evm:https://planted@a":   "a user and no password",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := upstreamtest.Open(t, httpmock.NewMockTransport())
			_, err := chains.New(w.Factory, core.Chain{Network: "BSC"}, 1, text)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") {
				t.Errorf("got %v, want %q and no part of the URL", err, want)
			}
		})
	}
	w := upstreamtest.Open(t, httpmock.NewMockTransport())
	_, err := chains.New(w.Factory, core.Chain{Network: "BTC"}, 1, "evm:https://planted")
	if err == nil || !strings.Contains(err.Error(), `the kind evm, which does not read "BTC"; it reads ETH, BSC`) {
		t.Errorf("a network of other back ends: got %v", err)
	}
}

func TestSettings_Connect(t *testing.T) {
	t.Parallel()
	w := upstreamtest.Open(t, httpmock.NewMockTransport())
	settings := chains.Settings{Chains: map[string][]core.Secret{"bsc": {"evm:https://a.test", "evm:https://b.test"}}}
	got, err := settings.Connect(w.Factory, []core.Chain{{Network: "BSC"}})
	if err != nil || len(got) != 1 || len(got["BSC"]) != 2 || got["BSC"][1].Name() != "evm-bsc-2" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := settings.Connect(w.Factory, nil); err == nil || strings.Contains(err.Error(), "test") {
		t.Errorf("a network without a row: got %v", err)
	}
}

// TestDescriptors checks the descriptors, and that docs/deposits.md shows them.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	name, seen := regexp.MustCompile(`^[a-z]+$`), map[string]bool{}
	for _, d := range chains.Descriptors {
		if !name.MatchString(d.Name) || seen[d.Name] || d.Title == "" || len(d.Networks) == 0 || len(d.Evidence) == 0 {
			t.Errorf("got %+v", d)
		}
		seen[d.Name] = true
		fmt.Fprintf(&page, "\n`%s`, %s, reads %s.\n\n| fact | source |\n|---|---|\n",
			d.Name, d.Title, strings.Join(d.Networks, ", "))
		for _, e := range d.Evidence {
			fmt.Fprintf(&page, "| %s | %s |\n", e.Fact, cmp.Or(e.Source, "assumed"))
		}
	}
	const begin, end = "<!-- back ends -->\n", "\n<!-- end of back ends -->"
	path := filepath.Join("..", "..", "docs", "deposits.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no place for the back ends", path)
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+page.String()+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case have != page.String():
		t.Errorf("%s is not current; run this test with -update", path)
	}
}
