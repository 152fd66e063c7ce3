package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

const secret = core.Secret("a secret that the replicas share")

// whole are two engines for all pairs of the catalog, with simulated sources, and a snapshot that the first one shared.
func whole(t *testing.T) (follower *pairs.Service, snapshot *pairs.Snapshot) {
	t.Helper()
	var engines [2]*pairs.Service
	for i := range engines {
		engines[i] = newTestApp(t, settings(t), zap.NewNop()).home.pairs()
	}
	engines[0].Tick(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	engines[0].Lead(ctx, pairs.Lead{Term: 1_795_000_000_000_000, Share: func(_ context.Context, s *pairs.Snapshot) error {
		snapshot = s
		cancel()
		return nil
	}})
	return engines[1], snapshot
}

// seen is everything that is exported of a snapshot.
func seen(t *testing.T, s *pairs.Snapshot) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnEditionIsTheSnapshot(t *testing.T) {
	t.Parallel()
	follower, snapshot := whole(t)
	e := newEditions(secret)
	body, err := e.write(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pairs and %d markets are %d bytes", len(snapshot.Quotes), len(snapshot.Markets), len(body))
	at := ports.Mark{Term: snapshot.Term, Number: snapshot.ID}
	got, err := e.read(ports.Edition{Mark: at, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if want := seen(t, snapshot); seen(t, got) != want {
		t.Errorf("got\n%s\nwant\n%s", seen(t, got), want)
	}
	shared := map[*pairs.Rate]bool{}
	for _, m := range got.Markets {
		shared[m.Rate] = true
	}
	for _, q := range got.Quotes {
		for _, leg := range q.Legs {
			if leg.Rate.Quorum > 0 && !shared[leg.Rate] {
				t.Errorf("%s has a rate of its own for %s", q.ID, leg.Rate.Pair)
			}
		}
	}
	if err := follower.Adopt(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if shown := follower.Snapshot(); len(shown.Quotes) < 80 || seen(t, shown) != seen(t, snapshot) {
		t.Error("the follower shows something else")
	}
}

func TestAnEditionOfSomebodyElseIsNotRead(t *testing.T) {
	t.Parallel()
	at := ports.Mark{Term: 7, Number: 3}
	ours := newEditions(secret)
	body, err := ours.write(&pairs.Snapshot{Term: at.Term, ID: at.Number, At: time.Now(), Quotes: []pairs.Quote{{ID: "BTCUSD", Buy: decimal.New(1, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ours.read(ports.Edition{Mark: at, Body: body}); err != nil {
		t.Fatalf("the true one: %v", err)
	}
	changed := bytes.Replace(body, []byte(`"Buy":"1"`), []byte(`"Buy":"2"`), 1)
	for name, c := range map[string]struct {
		with editions
		e    ports.Edition
	}{
		"another secret":  {newEditions("another one"), ports.Edition{Mark: at, Body: body}},
		"another term":    {ours, ports.Edition{Mark: ports.Mark{Term: 8, Number: 3}, Body: body}},
		"another number":  {ours, ports.Edition{Mark: ports.Mark{Term: 7, Number: 4}, Body: body}},
		"another price":   {ours, ports.Edition{Mark: at, Body: changed}},
		"cut off":         {ours, ports.Edition{Mark: at, Body: body[:len(body)-1]}},
		"a signature":     {ours, ports.Edition{Mark: at, Body: body[:32]}},
		"half of one":     {ours, ports.Edition{Mark: at, Body: body[:16]}},
		"nothing":         {ours, ports.Edition{Mark: at}},
		"nothing at zero": {ours, ports.Edition{}},
	} {
		if s, err := c.with.read(c.e); !errors.Is(err, errUnsigned) {
			t.Errorf("%s: got %v, %v", name, s, err)
		}
	}
}

// FuzzEdition reads signed editions of any content: whoever knows the secret may still be of another release.
func FuzzEdition(f *testing.F) {
	ours, at := newEditions(secret), ports.Mark{Term: 7, Number: 3}
	for _, text := range []string{
		`{}`, `null`, `{"At":"2026-11-21T09:00:00Z","Rates":[null,{"Mid":"1","Used":[null]}],"Quotes":[{"ID":"BTCUSD","Legs":[{"Rate":1}]}],"Markets":[{"Rate":1,"Lost":"2026-11-21T09:00:00Z"}]}`,
		`{"ID":1,"Quotes":[{}]}`, `{"ID":1,"Quotes":[{"ID":"","Legs":[{"Rate":-1}]}]}`, `{"ID":1,"Markets":[{"Rate":0}]}`, `[]`, `{"Quotes":[{"Mid":"1e999999999"}]}`,
	} {
		f.Add([]byte(text))
	}
	service, err := pairs.New(companyPrices(), []ports.RateSource{&stall{name: "alpha"}, &stall{name: "beta"}, &stall{name: "gamma"}}, time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ours.read(ports.Edition{Mark: at, Body: append(ours.sign(at, text), text...)})
		if err != nil {
			return
		}
		if s.Term != at.Term || s.ID != at.Number {
			t.Errorf("it is read at %d of term %d", s.ID, s.Term)
		}
		_ = service.Adopt(t.Context(), s) // does not panic
	})
}

func TestBooksAreToldApartByHowPricesAreMade(t *testing.T) {
	t.Parallel()
	name := func(change func(*config.Catalog)) string {
		catalog, err := config.LoadCatalog()
		if err != nil {
			t.Fatal(err)
		}
		change(&catalog)
		name, err := bookName(catalog)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain := name(func(*config.Catalog) {})
	if plain != name(func(c *config.Catalog) { c.Banks, c.Countries = nil, nil }) || len(plain) != 16 {
		t.Errorf("the name %q says more than how prices are made", plain)
	}
	for what, change := range map[string]func(*config.Catalog){
		"a margin":   func(c *config.Catalog) { c.ListingClasses[0].MarginBPS++ },
		"a listing":  func(c *config.Catalog) { c.Listings = c.Listings[1:] },
		"a source":   func(c *config.Catalog) { c.Markets[0].Sources = append(slices.Clone(c.Markets[0].Sources), "other") },
		"a rule":     func(c *config.Catalog) { c.Rules.JumpHold++ },
		"a currency": func(c *config.Catalog) { c.Currencies[0].Decimals++ },
		"a family":   func(c *config.Catalog) { c.Sources[0].Family = "other" },
	} {
		if name(change) == plain {
			t.Errorf("%s makes no difference", what)
		}
	}
}
