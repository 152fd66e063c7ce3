package deposits_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
	"causeway/ports"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// list is a source with the given addresses.
type list struct {
	kind      ports.SourceKind
	addresses []string
	memo      string
}

func (l *list) Kind() ports.SourceKind { return l.kind }

func (l *list) Fingerprint() string { return "fingerprint of " + l.addresses[0] }

func (l *list) Address(index int64, imported core.Private) (core.DepositAddress, error) {
	switch {
	case l.kind == ports.PoolSource && imported == "", index >= int64(len(l.addresses)):
		return core.DepositAddress{}, ports.ErrNoAddressLeft
	case l.kind == ports.PoolSource:
		return core.DepositAddress{Address: imported}, nil
	}
	return core.DepositAddress{Address: core.Private(l.addresses[index]), Memo: core.Private(l.memo)}, nil
}

// Addresses of BIP 173 and BIP 84, of ERC-55 in lower case, and of Solana programs.
var (
	bitcoin = []string{
		"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
		"bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
	}
	ethereum = []string{"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"}
	solana   = []string{"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "So11111111111111111111111111111111111111112"}
)

const ripple = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"

// desk is a service with what it reported.
type desk struct {
	*deposits.Service

	store   ports.DepositStore
	refused []deposits.Reason
	stopped []deposits.Reason
	checked map[string]deposits.Status
}

func currencies() []core.Currency {
	currency := func(code string, networks ...string) core.Currency {
		return core.Currency{Code: code, Name: code + " name", Type: core.Crypto, DefaultNetwork: networks[0], Networks: networks}
	}
	return []core.Currency{
		{Code: "NGN", Type: core.Fiat},
		currency("BTC", "BTC"), currency("USDT", "TRX", "ETH", "BSC", "SOL"), currency("ETH", "ETH"),
		currency("SOL", "SOL"), currency("XRP", "XRP"), currency("LTC", "LTC"),
	}
}

func sources() map[string]ports.AddressSource {
	return map[string]ports.AddressSource{
		"BTC": &list{kind: ports.KeySource, addresses: bitcoin}, "EVM": &list{kind: ports.KeySource, addresses: ethereum},
		"SOL": &list{kind: ports.PoolSource, addresses: solana},
		"XRP": &list{kind: ports.SharedSource, addresses: []string{ripple, ripple}, memo: "7"},
	}
}

func newService(
	t *testing.T, store ports.DepositStore, sources map[string]ports.AddressSource, options ...func(*deposits.Config),
) (*desk, error) {
	t.Helper()
	validator, err := addresses.New(currencies(), addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{store: store, checked: map[string]deposits.Status{}}
	cfg := deposits.Config{
		Sources: sources, Store: store, Addresses: validator, Currencies: currencies(),
		Clock: func() time.Time { return noon },
		Events: deposits.Events{
			Refused: func(_ string, reason deposits.Reason, _ error) { d.refused = append(d.refused, reason) },
			Stopped: func(_ string, reason deposits.Reason, _ error) { d.stopped = append(d.stopped, reason) },
			Checked: func(s deposits.Status) { d.checked[s.Wallet] = s },
		},
	}
	for _, option := range options {
		option(&cfg)
	}
	d.Service, err = deposits.New(cfg)
	return d, err
}

// newDesk makes a service whose wallets are confirmed, with a pool of two addresses.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d, err := newService(t, memory.NewDeposits(time.Now), sources())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Import(t.Context(), "sol", strings.NewReader("address\n"+strings.Join(solana, "\n\n")+"\n")); err != nil || n != 2 {
		t.Fatalf("imported %d, %v", n, err)
	}
	for _, wallet := range []string{"BTC", "evm", "SOL", "XRP"} {
		if status, err := d.Confirm(t.Context(), wallet); err != nil || status.Reason != "" || status.First == "" {
			t.Fatalf("%s: %+v, %v", wallet, status, err)
		}
	}
	return d
}

func user(profile string) core.DepositUser {
	return core.DepositUser{Account: "a", Profile: core.Private(profile)}
}

func (d *desk) get(t *testing.T, profile, currency, network string) []deposits.Item {
	t.Helper()
	result, err := d.Get(t.Context(), deposits.Query{User: user(profile), Currency: currency, Network: network})
	if err != nil {
		t.Fatal(err)
	}
	return result.Items
}

// brief describes items: network, address, memo.
func brief(items []deposits.Item) string {
	var out []string
	for _, i := range items {
		out = append(out, strings.TrimSpace(i.Network+" "+i.Address.Reveal()+" "+i.Memo.Reveal()))
	}
	return strings.Join(out, ", ")
}

func TestService_Get(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const first, second = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	for _, c := range []struct{ profile, currency, network, want string }{
		{"u", "BTC", "", "BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, // in its canonical form
		{"u", "BTC", "Bitcoin", "BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
		{"u", "USDT", "", "ETH " + first + ", BSC " + first + ", SOL " + solana[0]},
		{"u", "USDT", "ERC20", "ETH " + first},
		{"u", "ETH", "", "ETH " + first},
		{"v", "ETH", "", "ETH " + second},
		{"v", "SOL", "", "SOL " + solana[1]},
		{"u", "XRP", "", "XRP " + ripple + " 7"},
	} {
		if got := brief(d.get(t, c.profile, c.currency, c.network)); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	list, err := d.List(t.Context(), user("u"), false)
	items := list.Items
	want := "BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4, ETH " + first + ", BSC " + first + ", SOL " + solana[0] +
		", ETH " + first + ", SOL " + solana[0] + ", XRP " + ripple + " 7"
	if err != nil || brief(items) != want {
		t.Errorf("list: %s, %v", brief(items), err)
	}
	if list, err := d.List(t.Context(), user("unknown"), true); err != nil || len(list.Items)+len(list.Unavailable) != 0 {
		t.Errorf("list of another user: %+v, %v", list, err)
	}
	if label := items[0].Label; label != "BTC name on Bitcoin" {
		t.Errorf("label %q", label)
	}
}

func TestService_InvalidTarget(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct{ currency, network, field, want string }{
		{"", "", "currency", "required"},
		{"NOPE", "", "currency", "not supported"},
		{"NGN", "", "currency", "fiat"},
		{"LTC", "", "currency", "no deposit wallet"},
		{"BTC", "NOPE", "network", "not a network"},
		{"BTC", "ETH", "network", "does not carry"},
		{"USDT", "TRX", "network", "accepted for USDT: ETH, BSC, SOL"},
	} {
		err := d.Check(c.currency, c.network)
		e, ok := errors.AsType[*core.Error](err)
		if !ok || e.Code != core.Invalid || e.Fields[0].Field != c.field || !strings.Contains(e.Fields[0].Reason, c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

func TestService_Regenerate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	before := d.get(t, "u", "BTC", "")[0]
	renew := func(key core.Private) deposits.Item {
		t.Helper()
		item, err := d.Regenerate(t.Context(), user("u"), "BTC", "", key)
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	after := renew("k")
	if again := renew("k"); again.ID != after.ID || after.ID == before.ID || after.Index != 1 {
		t.Errorf("got index %d, and %d again", after.Index, again.Index)
	}
	if got := d.get(t, "u", "BTC", ""); brief(got) != brief([]deposits.Item{after}) {
		t.Errorf("got %s", brief(got))
	}
	result, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "BTC", Previous: true})
	all := result.Items
	if err != nil || brief(all) != brief([]deposits.Item{after, before}) || all[1].Replaced.IsZero() {
		t.Errorf("with previous: %s, %v", brief(all), err)
	}
	if _, err := d.Regenerate(t.Context(), user("u"), "USDT", "", ""); core.CodeOf(err) != core.Invalid {
		t.Errorf("the default network has no wallet: got %v", err)
	}
}

func TestService_Owner(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.get(t, "u", "ETH", "")
	d.get(t, "u", "XRP", "")
	d.get(t, "v", "SOL", "")
	for _, c := range []struct {
		account, network, address, memo, want string
		code                                  core.Code
	}{
		{"", "BEP20", ethereum[0], "", "u", ""},
		{"a", "ETH", ethereum[0], "ignored", "u", ""},
		{"b", "ETH", ethereum[0], "", "", core.NotFound},
		{"", "ETH", ethereum[1], "", "", core.NotFound},
		{"", "ETH", "garbage", "", "", core.NotFound},
		{"", "XRP", ripple, "7", "u", ""},
		{"", "XRP", ripple, "007", "u", ""},
		{"", "XRP", ripple, "", "", core.NotFound},
		{"", "XRP", ripple, "8", "", core.NotFound},
		{"", "solana", solana[0], "any memo", "v", ""},
		{"", "LTC", bitcoin[0], "", "", core.NotFound},
		{"", "NOPE", ethereum[0], "", "", core.Invalid},
		{"", "", ethereum[0], "", "", core.Invalid},
	} {
		item, err := d.Owner(t.Context(), c.account, c.network,
			core.DepositAddress{Address: core.Private(c.address), Memo: core.Private(c.memo)})
		if core.CodeOf(err) != c.code || item.User.Profile.Reveal() != c.want {
			t.Errorf("%+v: got %+v, %v", c, item, err)
		}
	}
}

func (d *desk) wantRefused(t *testing.T, currency string, want deposits.Reason) {
	t.Helper()
	_, err := d.Get(t.Context(), deposits.Query{User: user("w"), Currency: currency})
	if core.CodeOf(err) != core.Unavailable || len(d.refused) == 0 || d.refused[len(d.refused)-1] != want {
		t.Errorf("got %v, %v; want %s", err, d.refused, want)
	}
	if e, ok := errors.AsType[*core.Error](err); !ok || strings.Contains(e.Message, string(want)) {
		t.Errorf("got message %v, want one without the reason", err)
	}
}

func TestService_ExhaustedPool(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.get(t, "u", "SOL", "")
	d.get(t, "v", "SOL", "")
	d.wantRefused(t, "SOL", deposits.Exhausted)
	if got := brief(d.get(t, "w", "USDT", "")); !strings.HasPrefix(got, "ETH ") || strings.Contains(got, "SOL") {
		t.Errorf("other networks: %s", got)
	}
	if d.Refresh(t.Context()); d.checked["SOL"].Reason != deposits.Exhausted || d.checked["SOL"].Left != 0 || len(d.stopped) > 0 {
		t.Errorf("got %+v, stopped %v", d.checked["SOL"], d.stopped)
	}
}

func TestService_UnconfirmedAndOtherSource(t *testing.T) {
	t.Parallel()
	d, err := newService(t, memory.NewDeposits(time.Now), sources())
	if err != nil {
		t.Fatal(err)
	}
	d.wantRefused(t, "BTC", deposits.Unconfirmed)
	if _, err := d.Confirm(t.Context(), "SOL"); err == nil || !strings.Contains(err.Error(), "import") {
		t.Errorf("confirm an empty pool: got %v, want an error", err)
	}
	if _, err := d.Confirm(t.Context(), "DOGE"); err == nil || !strings.Contains(err.Error(), "accepted: BTC, EVM, SOL, XRP") {
		t.Errorf("got %v", err)
	}
	if _, err := d.Confirm(t.Context(), "BTC"); err != nil {
		t.Fatal(err)
	}
	d.get(t, "u", "BTC", "")
	changed := sources()
	changed["BTC"] = &list{kind: ports.KeySource, addresses: bitcoin[1:]}
	other, err := newService(t, d.store, changed)
	if err != nil {
		t.Fatal(err)
	}
	other.wantRefused(t, "BTC", deposits.OtherSource)
	if _, err := other.Confirm(t.Context(), "BTC"); err == nil || !strings.Contains(err.Error(), "another source") {
		t.Errorf("got %v", err)
	}
	if other.Refresh(t.Context()); other.checked["BTC"].Reason != deposits.OtherSource || other.checked["EVM"].Reason != deposits.Unconfirmed {
		t.Errorf("got %+v", other.checked)
	}
}

// forged is a store whose addresses were replaced.
type forged struct {
	ports.DepositStore

	address core.Private
}

func (f forged) List(ctx context.Context, user core.DepositUser, previous int) ([]core.Deposit, error) {
	all, err := f.DepositStore.List(ctx, user, previous)
	for i := range all {
		all[i].Address = f.address
	}
	return all, err
}

func (f forged) Walk(ctx context.Context, visit func(core.Deposit) error) error {
	return f.DepositStore.Walk(ctx, func(d core.Deposit) error {
		d.Address = f.address
		return visit(d)
	})
}

// An address that was changed in the database is not returned, and stops the wallet.
func TestService_TamperedAddress(t *testing.T) {
	t.Parallel()
	honest := newDesk(t)
	honest.get(t, "w", "BTC", "")
	honest.get(t, "w", "ETH", "")
	earlier := honest.export(t)
	d, err := newService(t, forged{honest.store, core.Private(bitcoin[2])}, sources())
	if err != nil {
		t.Fatal(err)
	}
	d.wantRefused(t, "BTC", deposits.Tampered)
	d.wantRefused(t, "BTC", deposits.Tampered)
	if d.Refresh(t.Context()); !slices.Equal(d.stopped, []deposits.Reason{deposits.Tampered}) || d.checked["BTC"].Reason != deposits.Tampered {
		t.Errorf("stopped %v, %+v", d.stopped, d.checked["BTC"])
	}
	if _, err := d.Regenerate(t.Context(), user("w"), "BTC", "", ""); core.CodeOf(err) != core.Unavailable {
		t.Errorf("stopped wallet: got %v, want an error", err)
	}
	var found []string
	checked, skipped, err := d.Verify(t.Context(), func(x deposits.Difference) { found = append(found, x.Wallet) })
	if err != nil || checked != 2 || len(skipped) > 0 || !slices.Equal(found, []string{"BTC", "EVM"}) {
		t.Errorf("verify: %d checked, %v, %v, %v", checked, skipped, found, err)
	}
	if _, err := d.Export(t.Context(), func(deposits.Record) error { t.Error("exported"); return nil }); err == nil {
		t.Error("export: got no error, want one")
	}
	if got, err := d.compare(t, earlier); !slices.Equal(got, []int{1, 2}) || err != nil {
		t.Errorf("compare with an earlier export: %v, %v", got, err)
	}
}

// export returns an export as the command writes it.
func (d *desk) export(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	lines := json.NewEncoder(&out)
	n, err := d.Export(t.Context(), func(r deposits.Record) error { return lines.Encode(r) })
	if err := errors.Join(err, lines.Encode(deposits.End{Records: n})); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// compare returns the records of an export that differ.
func (d *desk) compare(t *testing.T, export string) (lines []int, err error) {
	t.Helper()
	_, err = d.Compare(t.Context(), strings.NewReader(export), func(line int) { lines = append(lines, line) })
	return lines, err
}

func TestService_Compare(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.get(t, "u", "BTC", "")
	d.get(t, "v", "BTC", "")
	whole := d.export(t)
	lines := strings.SplitAfter(whole, "\n")
	d.get(t, "x", "BTC", "")
	for name, c := range map[string]struct {
		export string
		want   []int
		err    string
	}{
		"earlier":      {whole, nil, ""},
		"changed":      {strings.Replace(whole, `"account":"a"`, `"account":"b"`, 1), []int{1}, ""},
		"empty":        {"", nil, "no end; 0 records compared"},
		"cut":          {lines[0], nil, "no end; 1 records compared"},
		"cut in line":  {lines[0] + lines[1][:20], nil, "record 2 of the export cannot be read, 1 records compared"},
		"lacks record": {lines[1] + lines[2], nil, "1 of 2 compared"},
	} {
		got, err := d.compare(t, c.export)
		if !slices.Equal(got, c.want) || (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, %v; want %v, %q", name, got, err, c.want, c.err)
		}
	}
}

// A list ends after the 100 newest replaced addresses of a network. An owner look-up and an export have the others, too.
func TestService_ManyPrevious(t *testing.T) {
	t.Parallel()
	const renewed, shown = 102, 101
	var all []string
	for i := range renewed + 1 {
		all = append(all, fmt.Sprintf("0x%040x", i+1))
	}
	d, err := newService(t, memory.NewDeposits(time.Now), map[string]ports.AddressSource{
		"EVM": &list{kind: ports.KeySource, addresses: all},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Confirm(t.Context(), "EVM"); err != nil {
		t.Fatal(err)
	}
	oldest := d.get(t, "u", "ETH", "")[0]
	for range renewed {
		if _, err := d.Regenerate(t.Context(), user("u"), "ETH", "", ""); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "ETH", Previous: true})
	if n := len(list.Items); err != nil || n != shown || list.Items[0].Index != renewed || list.Items[n-1].Index != 2 {
		t.Errorf("got %d addresses, %v; want %d, the newest first", len(list.Items), err, shown)
	}
	if owner, err := d.Owner(t.Context(), "", "ETH", oldest.DepositAddress); err != nil || owner.User != user("u") {
		t.Errorf("got %+v, %v; want the owner of the oldest address", owner, err)
	}
	var exported []string
	if n, err := d.Export(t.Context(), func(r deposits.Record) error {
		exported = append(exported, r.Address)
		return nil
	}); err != nil || n != renewed+1 || exported[0] != oldest.Address.Reveal() {
		t.Errorf("exported %d addresses, %v; want %d", n, err, renewed+1)
	}
}

func TestService_Export(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, profile := range []string{"u", "v"} {
		d.get(t, profile, "BTC", "")
	}
	d.get(t, "u", "XRP", "")
	var records []deposits.Record
	if n, err := d.Export(t.Context(), func(r deposits.Record) error {
		records = append(records, r)
		return nil
	}); err != nil || n != 3 || len(records) != n {
		t.Fatalf("%+v, %v", records, err)
	}
	if records[0].Previous != "" || records[1].Previous != records[0].Hash || records[2].Previous != "" ||
		records[1].Number != 2 || records[2].Number != 1 || records[2].Memo != "7" {
		t.Errorf("got %+v", records)
	}
	if checked, skipped, err := d.Verify(t.Context(), func(x deposits.Difference) { t.Errorf("%+v", x) }); checked != 3 || len(skipped) > 0 || err != nil {
		t.Errorf("%d checked, %v, %v", checked, skipped, err)
	}
	fewer := sources()
	delete(fewer, "XRP")
	other, err := newService(t, d.store, fewer)
	if err != nil {
		t.Fatal(err)
	}
	if checked, skipped, err := other.Verify(t.Context(), nil); checked != 3 || !slices.Equal(skipped, []string{"XRP"}) || err != nil {
		t.Errorf("%d checked, %v, %v", checked, skipped, err)
	}
}

func TestService_InvalidImport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const fresh, wif = "Vote111111111111111111111111111111111111111", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	for name, c := range map[string]struct {
		wallet, file string
		want         []string
	}{
		"invalid lines":    {"SOL", fresh + "\nnope\n" + bitcoin[0] + "\n" + wif + "\n", []string{"line 2", "line 3", "line 4", "secret_key"}},
		"duplicate":        {"SOL", fresh + ",a comment\n\n\"" + fresh + "\"\n", []string{"line 3: the same address as line 1"}},
		"known":            {"SOL", "address\n" + fresh + "\n" + solana[1] + "\n", []string{"line 3: the address is in the pool already"}},
		"no pool":          {"BTC", bitcoin[0] + "\n", []string{"has no pool"}},
		"not a wallet":     {"DOGE", fresh + "\n", []string{"not a configured wallet"}},
		"overlong line":    {"SOL", strings.Repeat("x", 100_000), []string{"token too long"}},
		"invalid encoding": {"SOL", "\xff\xfe\n", []string{"line 1"}},
	} {
		n, err := d.Import(t.Context(), c.wallet, strings.NewReader(c.file))
		if n != 0 || err == nil {
			t.Errorf("%s: imported %d, %v", name, n, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
		}
		if strings.Contains(err.Error(), fresh) || strings.Contains(err.Error(), wif) {
			t.Errorf("%s: error contains an address: %v", name, err)
		}
	}
	if n, err := d.Import(t.Context(), "SOL", strings.NewReader(fresh)); n != 1 || err != nil {
		t.Errorf("after a refused import: got %d, %v; want 1", n, err)
	}
}

func TestNew_InvalidSources(t *testing.T) {
	t.Parallel()
	for want, sources := range map[string]map[string]ports.AddressSource{
		"no currency of the catalog": {"NOPE": &list{kind: ports.PoolSource, addresses: solana}},
		"no currency":                {"ETH": &list{kind: ports.KeySource, addresses: ethereum}}, // EVM
		"its network refuses":        {"BTC": &list{kind: ports.KeySource, addresses: ethereum}},
		"no memos":                   {"BTC": &list{kind: ports.SharedSource, addresses: bitcoin, memo: "1"}},
	} {
		if _, err := newService(t, memory.NewDeposits(time.Now), sources); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A source that makes an invalid address later stops its wallet, and nothing is stored.
func TestService_InvalidAddress(t *testing.T) {
	t.Parallel()
	d, err := newService(t, memory.NewDeposits(time.Now), map[string]ports.AddressSource{
		"BTC": &list{kind: ports.KeySource, addresses: []string{bitcoin[0], ethereum[0]}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Confirm(t.Context(), "BTC"); err != nil {
		t.Fatal(err)
	}
	d.get(t, "u", "BTC", "")
	d.wantRefused(t, "BTC", deposits.Invalid)
	if !slices.Equal(d.stopped, []deposits.Reason{deposits.Invalid}) {
		t.Errorf("stopped %v", d.stopped)
	}
	if list, err := d.store.List(t.Context(), user("w"), 0); err != nil || len(list) > 0 {
		t.Errorf("stored %+v, %v", list, err)
	}
}

// away is a store that cannot be reached.
type away struct{ ports.DepositStore }

func (away) List(context.Context, core.DepositUser, int) ([]core.Deposit, error) {
	return nil, core.Errorf(core.Unavailable, "away")
}

func (away) FindAll(context.Context, []ports.DepositKey) ([]core.Deposit, error) {
	return nil, core.Errorf(core.Unavailable, "away")
}

func TestService_StoreAway(t *testing.T) {
	t.Parallel()
	d, err := newService(t, away{memory.NewDeposits(time.Now)}, sources())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "BTC"}); core.CodeOf(err) != core.Unavailable {
		t.Errorf("get: %v", err)
	}
	if _, err := d.List(t.Context(), user("u"), false); core.CodeOf(err) != core.Unavailable {
		t.Errorf("list: %v", err)
	}
}

// silent is a store that replies to no request.
type silent struct{ ports.DepositStore }

func (silent) List(ctx context.Context, _ core.DepositUser, _ int) ([]core.Deposit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silent) Assign(ctx context.Context, _ ports.DepositRequest) (core.Deposit, bool, error) {
	<-ctx.Done()
	return core.Deposit{}, false, ctx.Err()
}

func (silent) Find(ctx context.Context, _ string, _ core.DepositAddress) (core.Deposit, error) {
	<-ctx.Done()
	return core.Deposit{}, ctx.Err()
}

// TestService_SilentStore checks that requests end before the server gives up on them.
func TestService_SilentStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, err := newService(t, silent{memory.NewDeposits(time.Now)}, sources())
		if err != nil {
			t.Fatal(err)
		}
		for name, request := range map[string]func() error{
			"get": func() error {
				_, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "USDT"})
				return err
			},
			"list":       func() error { _, err := d.List(t.Context(), user("u"), false); return err },
			"regenerate": func() error { _, err := d.Regenerate(t.Context(), user("u"), "BTC", "", ""); return err },
			"owner": func() error {
				_, err := d.Owner(t.Context(), "", "BTC", core.DepositAddress{Address: core.Private(bitcoin[0])})
				return err
			},
		} {
			started := time.Now()
			err := request()
			if took := time.Since(started); core.CodeOf(err) != core.Unavailable || took > 15*time.Second {
				t.Errorf("%s: got %v after %s, want unavailable", name, err, took)
			}
		}
	})
}

func TestCheckProfile(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"u": "", strings.Repeat("é", 64): "", "user 1 / é": "",
		"": "is empty", " ": "is empty", strings.Repeat("a", 65): "65 characters", "a\tb": "printed", "a\x00": "printed",
		"a\u202eb": "printed", "\xff": "printed",
	} {
		err := deposits.CheckProfile(id)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", id, err, want)
		}
	}
}

// A stopped wallet is named among the others. Alone, it is an error, and never an empty list.
func TestService_StoppedWallet(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.get(t, "u", "USDT", "")
	d.get(t, "v", "SOL", "")
	if err := d.store.Stop(t.Context(), "SOL", string(deposits.Tampered)); err != nil {
		t.Fatal(err)
	}
	d.Refresh(t.Context())
	list, err := d.List(t.Context(), user("u"), false)
	want := []deposits.Missing{{Currency: "USDT", Network: "SOL"}, {Currency: "SOL", Network: "SOL"}}
	if err != nil || !slices.Equal(list.Unavailable, want) || len(list.Items) != 3 {
		t.Errorf("list: got %+v, %v; want %v and the addresses of EVM", list, err, want)
	}
	for _, readOnly := range []bool{false, true} {
		got, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "USDT", ReadOnly: readOnly})
		if err != nil || !slices.Equal(got.Unavailable, want[:1]) || len(got.Items) != 2 {
			t.Errorf("read-only %t: got %+v, %v", readOnly, got, err)
		}
		_, err = d.Get(t.Context(), deposits.Query{User: user("v"), Currency: "SOL", ReadOnly: readOnly})
		if core.CodeOf(err) != core.Unavailable {
			t.Errorf("read-only %t: got %v, want unavailable", readOnly, err)
		}
	}
	if _, err := d.List(t.Context(), user("v"), false); core.CodeOf(err) != core.Unavailable {
		t.Errorf("list without other addresses: got %v, want unavailable", err)
	}
	if d.checked["SOL"].Reason != deposits.Tampered {
		t.Errorf("got %+v", d.checked["SOL"])
	}
	if _, err := d.Resume(t.Context(), "SOL", 0); err != nil {
		t.Fatal(err)
	}
	d.Refresh(t.Context())
	if got := brief(d.get(t, "v", "SOL", "")); got != "SOL "+solana[1] {
		t.Errorf("resumed: got %s", got)
	}
}

func TestService_ReadOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	query := deposits.Query{User: user("u"), Currency: "BTC", ReadOnly: true}
	if got, err := d.Get(t.Context(), query); core.CodeOf(err) != core.NotFound {
		t.Errorf("got %+v, %v; want not found", got, err)
	}
	assigned := d.get(t, "u", "BTC", "")
	if got, err := d.Get(t.Context(), query); err != nil || brief(got.Items) != brief(assigned) {
		t.Errorf("got %+v, %v; want %s", got, err, brief(assigned))
	}
}

func TestService_NewUsersPerDay(t *testing.T) {
	t.Parallel()
	d, err := newService(t, memory.NewDeposits(time.Now), sources(), func(c *deposits.Config) { c.NewUsers = 1 })
	if err != nil {
		t.Fatal(err)
	}
	for _, wallet := range []string{"BTC", "EVM"} {
		if _, err := d.Confirm(t.Context(), wallet); err != nil {
			t.Fatal(err)
		}
	}
	d.get(t, "u", "BTC", "")
	d.get(t, "u", "ETH", "")
	_, err = d.Get(t.Context(), deposits.Query{User: user("v"), Currency: "BTC"})
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.TooMany || e.RetryAfter != 12*time.Hour || !slices.Equal(d.refused, []deposits.Reason{deposits.Quota}) {
		t.Errorf("got %v, refused %v; want too many, to retry at midnight", err, d.refused)
	}
}

// marks remember an index, or fail.
type marks struct{ next int64 }

func (m marks) Raise(context.Context, string, int64) (int64, error) {
	if m.next < 0 {
		return 0, errors.New("the disk is full")
	}
	return m.next, nil
}

// An index that cannot be remembered is not shown, and the state is not ready.
func TestService_Marks(t *testing.T) {
	t.Parallel()
	for next, want := range map[int64]deposits.Reason{-1: deposits.Unavailable, 0: "", 3: deposits.RolledBack} {
		d, err := newService(t, memory.NewDeposits(time.Now), sources(), func(c *deposits.Config) {
			c.Marks = []ports.DepositMarks{marks{next}}
		})
		if err != nil {
			t.Fatal(err)
		}
		if status, err := d.Confirm(t.Context(), "BTC"); err != nil || status.Reason != want {
			t.Errorf("next index %d: got %+v, %v; want %q", next, status, err, want)
		}
		if _, err := d.Get(t.Context(), deposits.Query{User: user("u"), Currency: "BTC"}); (err == nil) != (want == "") {
			t.Errorf("next index %d: got %v", next, err)
		}
	}
}

// busy is a store in which another process assigns an address after the state was read.
type busy struct {
	ports.DepositStore

	marks *marks
}

func (b busy) Wallets(ctx context.Context) ([]core.DepositWallet, error) {
	all, err := b.DepositStore.Wallets(ctx)
	b.marks.next++
	return all, err
}

// An assignment of another process is not mistaken for a restored database.
func TestService_AssignedMeanwhile(t *testing.T) {
	t.Parallel()
	store, m := memory.NewDeposits(time.Now), &marks{}
	if err := newConfirmed(t, store); err != nil {
		t.Fatal(err)
	}
	d, err := newService(t, busy{store, m}, sources(), func(c *deposits.Config) { c.Marks = []ports.DepositMarks{m} })
	if err != nil {
		t.Fatal(err)
	}
	if status, err := d.Statuses(t.Context()); err != nil || status[0].Reason != "" {
		t.Errorf("got %+v, %v; want ready", status[0], err)
	}
}

// newConfirmed confirms the wallet BTC in a store.
func newConfirmed(t *testing.T, store ports.DepositStore) error {
	t.Helper()
	d, err := newService(t, store, sources())
	if err == nil {
		_, err = d.Confirm(t.Context(), "BTC")
	}
	return err
}
