package config_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/coinbase"
	"causeway/adapters/providers/gemini"
	"causeway/config"
	"causeway/core"
)

func load(t *testing.T) config.Catalog {
	t.Helper()
	c, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loadWith loads the catalog with other tables in place of the built-in ones.
func loadWith(t *testing.T, tables map[string]string) (config.Catalog, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tables {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Config{Catalog: config.CatalogFiles{Dir: dir}}.LoadCatalog()
}

// edited returns a built-in table with one text replaced.
func edited(t *testing.T, file, before, after string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("catalog", file))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), before) {
		t.Fatalf("%s has no %q", file, before)
	}
	return strings.Replace(string(text), before, after, 1)
}

func TestLoadCatalog_Faults(t *testing.T) {
	t.Parallel()
	const (
		countries, banks, currencies, pairs = "countries.yaml", "banks.yaml", "currencies.yaml", "pairs.yaml"

		absa = `{code: "03", name: Absa Bank Kenya, type: bank, codes: {swift: BARCKENX, flutterwave: "10276"}, names: [Barclays Bank of Kenya]}`
		peg  = `{pair: EUR/XOF, class: peg, fixed: "655.957"}`
	)
	tests := []struct {
		name, file, old, with string
		want                  []string
	}{
		{"no date", pairs, "date: 2026-11-22", "", []string{`pairs.yaml: date is ""`}},
		{"no source", banks, "source:\n", "source: []\nx:\n", []string{`banks.yaml: line`, `field x not found`, `banks.yaml: source is missing`}},
		{"an unknown key", countries, "needs_bank_code: true, rule: \"6 to", "bank_code: true, rule: \"6 to", []string{`countries.yaml: line`, `field bank_code not found`}},
		{"a wrong type", currencies, "rank: 3,", "rank: third,", []string{`currencies.yaml: line`, "`third` into int"}},
		{"no YAML", countries, "countries:", "countries: [", []string{`countries.yaml: line`}},

		{"a country twice", countries, "code: CM", "code: CI", []string{`countries.yaml: countries row 2 (CI): is there twice`}},
		{"a country without a name", countries, "name: Ghana", `name: ""`, []string{`countries row 3 (GH): code "GH", name ""`}},
		{"a country without a currency", countries, "[UGX]", "[]", []string{`(UG): has 0 currencies`}},
		{"a country's unknown currency", countries, "[UGX]", "[UGS]", []string{`(UG): currency "UGS" is not a fiat currency of currencies.yaml`}},
		{"a country's cryptocurrency", countries, "[UGX]", "[BTC]", []string{`(UG): currency "BTC" is not a fiat currency`}},
		{"a channel twice", countries, "channel: till", "channel: pay_bill", []string{`(KE): channel "pay_bill" is there twice`}},
		{"an unknown channel", countries, "channel: till", "channel: cheque", []string{`KE row 4 (cheque): channel "cheque"; accepted: [bank_transfer`}},
		{"a pattern that does not compile", countries, `'^\d{7,11}$'`, `'^\d{7,11($'`, []string{`ZA row 1 (bank_transfer): pattern: error parsing`}},
		{"a pattern that is open", countries, `'^\d{7,11}$'`, `'\d{7,11}'`, []string{`ZA row 1 (bank_transfer): pattern "\\d{7,11}" is not anchored`}},
		{"an example that does not match", countries, `example: "0690000032"`, `example: "069000003"`, []string{`NG row 1 (bank_transfer): example "069000003" does not match`}},

		{"banks of an unknown country", banks, "country: ZA", "country: ZM", []string{`banks.yaml: countries row 10 (ZM): country "ZM" is not in countries.yaml`}},
		{"a block twice", banks, "country: GH\n    currency: GHS", "country: CI\n    currency: XOF", []string{`banks.yaml: countries row 3 (CI): is there twice`}},
		{"a foreign currency", banks, "currency: TZS", "currency: KES", []string{`(TZ): currency "KES" is not one of [TZS]`}},
		{"a channel that the country has not", banks, "country: ZA\n    currency: ZAR\n    code_kind: branch\n    bank_channels: [bank_transfer]", "country: ZA\n    currency: ZAR\n    bank_channels: [bank_transfer, till]", []string{`(ZA): channel "till" does not exist there`}},
		{"an exclusion without a reason", banks, "reason: not_an_institution, source: \"treasury", "reason: odd, source: \"treasury", []string{`NG excluded row 2 (CBN TSA, 999001): reason "odd"; accepted: closed, not_an_institution`}},
		{"an exclusion without a source", banks, "source: \"left Ghana 2019, general knowledge 2026-11\"", "source: \"\"", []string{`GH excluded row 14 (Bank of Baroda, 260100): source is missing`}},
		{"an exclusion of nothing", banks, "names: [Bank of Uganda]", "names: []", []string{`UG excluded row 1 (): has neither names nor codes`}},
		{"an empty bank code", banks, `code: "03"`, `code: ""`, []string{`KE row 2 ( Absa Bank Kenya): code ""`}},
		{"a lower-case bank code", banks, "code: MPESA", "code: mpesa", []string{`KE row 32 (mpesa M-PESA): code "mpesa"`}},
		{"an empty bank name", banks, "name: Versus Bank", `name: ""`, []string{`CI row 32 (VSBKCIAB ): code "VSBKCIAB", name ""`}},
		{"a name with stray space", banks, "name: Versus Bank", `name: "Versus  Bank"`, []string{`name "Versus  Bank"`}},
		{"an unknown bank type", banks, "name: Versus Bank, type: bank", "name: Versus Bank, type: broker", []string{`CI row 32 (VSBKCIAB Versus Bank): type "broker"; accepted: [bank`}},
		{"a wallet without a channel", banks, "name: TymeBank, type: bank", "name: TymeBank, type: mobile_money", []string{`(678910 TymeBank): type "mobile_money" has no channel in ZA`}},
		{"an empty alias", banks, `flutterwave: "10276"`, `flutterwave: ""`, []string{`(03 Absa Bank Kenya): codes has "flutterwave": ""`}},
		{"a bank twice", banks, absa, absa + "\n      - " + absa, []string{`KE row 3 (03 Absa Bank Kenya): code "03" already names Absa Bank Kenya`}},
		{"an alias that is another's code", banks, `flutterwave: "10276"`, `flutterwave: "01"`, []string{`(01 KCB Bank Kenya): code "01" already names Absa Bank Kenya`}},
		{"an alias that is another's alias", banks, `flutterwave: "10276"`, `flutterwave: MPS`, []string{`(MPESA M-PESA): code "MPS" already names Absa Bank Kenya`}},
		{"an unknown kind of codes", banks, "code_kind: kba", "code_kind: kbo", []string{`(KE): code_kind "kbo"; accepted: [branch clearing ghipss kba nip swift], or none`}},
		{"an unknown likely bank", banks, `likeliest: ["100004"`, `likeliest: ["999999"`, []string{`NG likeliest row 1 (999999): is no institution of the block`}},
		{"an unknown large bank", banks, `largest: ["100004"`, `largest: ["999999"`, []string{`NG largest row 1 (999999): is no institution of the block`}},
		{"a code that is a long form of another", banks, `codes: {cbn: "51204"}`, `codes: {cbn: "950515"}`, []string{`(090405 Moniepoint Microfinance Bank): code "50515" already names Above Only Microfinance Bank`}},

		{"a currency twice", currencies, "code: LINK", "code: BTC", []string{`currencies.yaml: crypto row 10 (BTC): is there twice`}},
		{"a currency without a name", currencies, "name: Euro,", `name: "",`, []string{`fiat row 1 (EUR): code "EUR", name ""`}},
		{"too many decimals", currencies, "name: Euro, decimals: 2", "name: Euro, decimals: 19", []string{`fiat row 1 (EUR): decimals is 19; accepted: 0 to 18`}},

		{"a market class twice", pairs, "{name: tail, max_age", "{name: major, max_age", []string{`pairs.yaml: market_classes row 4 (major): name "major" is missing or there twice`, `class "tail" is not one of market_classes`}},
		{"a market class without an age", pairs, "max_age: 30s", "max_age: 0s", []string{`market_classes row 1 (major): a class without max_age is for rates fixed by treaty, and has nothing but a name`}},
		{"a spread that is no number", pairs, `max_spread: "0.03"`, `max_spread: 3 %`, []string{`can't convert 3 % to decimal`}},
		{"a limit with a comma", pairs, `max_usd: "20000"`, `max_usd: "20,000"`, []string{`can't convert 20,000 to decimal`}},
		{"a listing class twice", pairs, "{name: stablecoin, margin", "{name: fiat, margin", []string{`listing_classes row 2 (fiat): name "fiat" is missing or there twice`}},
		{"a margin of nothing", pairs, "margin_bps: 60", "margin_bps: 0", []string{`listing_classes row 2 (stablecoin): margin_bps is 0; accepted: 1 to 3332`}},
		{"a margin that eats a degraded price", pairs, "{pair: USDT/NGN, class: stablecoin}", "{pair: USDT/NGN, class: stablecoin, margin: {buy_bps: 60, sell_bps: 3333}}", []string{`(USDT/NGN): margin is 60 and 3333 basis points; accepted: 0 to 3332`}},
		{"tiers that do not ascend", pairs, "margin_bps: 60, min", "margin_bps: 60, tiers: [{up_to_usd: \"5\", buy_bps: 9}, {up_to_usd: \"4\"}], min", []string{`tier 2 is up to 4 USD; accepted: ascending sizes`}},
		{"limits the wrong way round", pairs, `max_usd: "20000"`, `max_usd: "4"`, []string{`listing_classes row 4 (tail): min_usd 5, max_usd 4`}},
		{"windows the wrong way round", pairs, "margin_bps: 60, min_usd: \"1\", max_usd: \"100000\", fresh: 10s", "margin_bps: 60, min_usd: \"1\", max_usd: \"100000\", fresh: 90s", []string{`(stablecoin): fresh 1m30s, stale 1m0s`}},

		{"a pair without a slash", pairs, "pair: XLM/USD, class: tail, sources", "pair: XLMUSD, class: tail, sources", []string{`(XLMUSD): pair "XLMUSD"; accepted: two currencies with a slash`}},
		{"a market of an unknown currency", pairs, "pair: XLM/USD, class: tail, sources", "pair: ZZZ/USD, class: tail, sources", []string{`markets row 48 (ZZZ/USD): currency "ZZZ" is not in currencies.yaml`, `(XLM/USD): leg XLM/USD has no market`}},
		{"a market of an unknown class", pairs, "pair: XLM/USD, class: tail, sources", "pair: XLM/USD, class: avenue, sources", []string{`markets row 48 (XLM/USD): class "avenue" is not one of market_classes`}},
		{"a market twice", pairs, peg, peg + "\n  - {pair: USD/GHS, class: official, sources: [openexchangerates]}", []string{`markets row 4 (USD/GHS): is there twice`}},
		{"a market in both orientations", pairs, "  - {pair: BTC/EUR, class: major", "  - {pair: USD/BTC, class: major, sources: [kraken]}\n  - {pair: BTC/EUR, class: major", []string{`(USD/BTC): is there twice, in this orientation or the other`}},
		{"a market without a source", pairs, "pair: GBP/USD, class: fx, sources: [bitstamp, kraken]", "pair: GBP/USD, class: fx", []string{`markets row 17 (GBP/USD): sources [], fixed false`}},
		{"a source twice", pairs, "pair: GBP/USD, class: fx, sources: [bitstamp, kraken]", "pair: GBP/USD, class: fx, sources: [kraken, kraken]", []string{`(GBP/USD): source "kraken" is there twice`}},
		{"a source in the table twice", pairs, "{name: binance, family", "{name: kraken, family", []string{`sources row 2 (kraken): name "kraken" is missing or there twice`, `source "binance" is not one of sources`}},
		{"a source without a family", pairs, "family: binance", `family: ""`, []string{`sources row 2 (binance): family ""`}},
		{"a source of an unknown kind", pairs, "kind: official", "kind: gossip", []string{`sources row 13 (openexchangerates): kind "gossip"; accepted: [book street official mid]`}},
		{"an interval that is too short", pairs, "kind: official, interval: 1h", "kind: official, interval: 1ms", []string{`(openexchangerates): interval 1ms; accepted: 1s or longer`}},
		{"a market of an unknown source", pairs, "pair: GBP/USD, class: fx, sources: [bitstamp, kraken]", "pair: GBP/USD, class: fx, sources: [cracken]", []string{`(GBP/USD): source "cracken" is not one of sources`}},
		{"a quorum larger than the families", pairs, "pair: BTC/USDT, class: major, sources: [binance, bybit, kraken, okx]", "pair: BTC/USDT, class: major, sources: [binance]", []string{`markets row 34 (BTC/USDT): a quorum of 2 is larger than its 1 families`}},
		{"a quorum that needs a mid source", pairs, "family: coinbase, kind: book", "family: coinbase, kind: mid", []string{`markets row 33 (USDT/GBP): a quorum of 2 is larger than its 1 families`}},
		{"a quorum of one family", pairs, "family: coinbase", "family: kraken", []string{`markets row 33 (USDT/GBP): a quorum of 2 is larger than its 1 families`}},
		{"a quorum below zero", pairs, "sources: [bitstamp, coinbase, coingecko, kraken]}", "sources: [bitstamp, coinbase, coingecko, kraken], quorum: -1}", []string{`(ADA/USD): a quorum of -1 is larger than its 3 families`}},
		{"a class without a quorum", pairs, `max_spread: "0.01", quorum: 2`, `max_spread: "0.01"`, []string{`market_classes row 1 (major): quorum is 0; accepted: 1 or more`}},
		{"a band of everything", pairs, `band: "0.03"`, `band: "1"`, []string{`market_classes row 4 (tail): band is 1; accepted: a decimal between 0 and 1`}},
		{"a jump that is no number", pairs, `jump: "0.05"`, `jump: "5 %"`, []string{`can't convert 5 % to decimal`}},
		{"a peg that is no number", pairs, `peg: "1"`, `peg: one`, []string{`can't convert one to decimal`}},
		{"a peg in a class without a limit", pairs, `, depeg: "0.05"`, "", []string{`peg is 1; accepted: a price, in a class with depeg`}},
		{"a bound in a class without a limit", pairs, `pair: USDT/USD, class: stablecoin`, `pair: USDT/USD, bound: EUR, class: stablecoin`, []string{`(USDT/USD): bound is "EUR", and class "stablecoin" has no limit for one`}},
		{"a bound without a market", pairs, `pair: BNB/USDT, class: tail, sources: [binance`, `pair: BNB/USDT, bound: NGN, class: street, sources: [binance`, []string{`(BNB/USDT): leg BNB/NGN has no market`}},
		{"a rule of nothing", pairs, "jump_hold: 30s", "jump_hold: 0s", []string{`rules row 1 (all markets): jump_hold is 0s`}},
		{"a rule that is missing", pairs, `wide: "0.02"`, "", []string{`rules row 1 (all markets): wide is 0`}},
		{"samples of nothing", pairs, "readmit_samples: 3", "readmit_samples: 0", []string{`readmit_samples is 0`}},
		{"a jump without confirmation", pairs, "jump_families: 3", "jump_families: 0", []string{`jump_families is 0`}},
		{"a degraded price without a margin", pairs, "degraded_margin: 3", "degraded_margin: 0", []string{`degraded_margin is 0; accepted: 1 to 10`}},
		{"a direct route without a market", pairs, "{pair: ETH/NGN, class: major, via: USD", "{pair: ETH/NGN, direct: true, class: major, via: USD", []string{`(ETH/NGN): leg ETH/NGN has no market`}},
		{"another route without a market", pairs, "via: USD, else: USDT", "via: USD, else: XOF", []string{`(EUR/GHS): leg XOF/GHS has no market`}},
		{"a stand-in without its market", pairs, "pair: UGX/USD", "pair: UGX/ZAR", []string{`(UGX/ZAR): stand_in; accepted behind the market ZAR/UGX`}},
		{"a stand-in twice", pairs, "pair: USD/GBP, class", "pair: USD/EUR, class", []string{`(USD/EUR): is there twice`}},
		{"a fixed rate with a source", pairs, peg, `{pair: EUR/XOF, class: peg, fixed: "655.957", sources: [kraken]}`, []string{`markets row 2 (EUR/XOF): sources [kraken], fixed true`}},
		{"a fixed rate of a class with an age", pairs, peg, `{pair: EUR/XOF, class: major, fixed: "655.957"}`, []string{`markets row 2 (EUR/XOF): class "major": fixed rates have a class without max_age`}},
		{"a fixed rate below zero", pairs, peg, `{pair: EUR/XOF, class: peg, fixed: "-1"}`, []string{`markets row 2 (EUR/XOF): fixed is -1; accepted: a rate above zero`}},

		{"a listing twice", pairs, "pair: ETH/NGN, class: major, via: USDT", "pair: BNB/NGN, class: major, via: USDT", []string{`(BNB/NGN): its id BNBNGN is already the id of BNB/NGN`}},
		{"a listing of an unknown class", pairs, "pair: ETH/NGN, class: major", "pair: ETH/NGN, class: huge", []string{`(ETH/NGN): class "huge" is not one of listing_classes`}},
		{"a listing of an unknown currency", pairs, "pair: ETH/NGN, class: major", "pair: ETH/NGX, class: major", []string{`(ETH/NGX): currency "NGX" is not in currencies.yaml`}},
		{"fiat bought with crypto", pairs, "pair: ETH/NGN, class: major", "pair: NGN/ETH, class: major", []string{`(NGN/ETH): a fiat currency is the base only where the counter is fiat too`}},
		{"a listing without its market", pairs, "pair: ETH/NGN, class: major, via: USDT", "pair: ETH/NGN, class: major", []string{`(ETH/NGN): leg ETH/NGN has no market`}},
		{"a leg without a market", pairs, "pair: ETH/NGN, class: major, via: USDT", "pair: ETH/NGN, class: major, via: EUR", []string{`(ETH/NGN): leg EUR/NGN has no market`}},
		{"a route through one of its sides", pairs, "pair: ETH/NGN, class: major, via: USDT", "pair: ETH/NGN, class: major, via: NGN", []string{`(ETH/NGN): via NGN is one of its own sides: the route is a cycle`}},
		{"a base that has no price in USD", pairs, "pair: XRP/BTC, class: tail}", "pair: VET/BTC, class: tail}", []string{`(VET/BTC): VET has no price in USD`}},
	}
	// The faults of the other tables do not depend on the banks, whose table takes longest to
	// parse.
	all := edited(t, banks, "", "")
	second := strings.LastIndex(all, "  - country:")
	before, _, _ := strings.Cut(all, "  - country:")
	oneCountry := before + all[second:]
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tables := map[string]string{banks: oneCountry}
			tables[test.file] = edited(t, test.file, test.old, test.with)
			_, err := loadWith(t, tables)
			for _, want := range append(test.want, "/"+test.file+":") {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

func TestLoadCatalog_AllFaults(t *testing.T) {
	t.Parallel()
	_, err := loadWith(t, map[string]string{
		"countries.yaml":  edited(t, "countries.yaml", "name: Ghana", `name: ""`),
		"banks.yaml":      edited(t, "banks.yaml", "code: ZIGAMA", "code: zigama"),
		"currencies.yaml": edited(t, "currencies.yaml", "decimals: 8, rank: 1,", "decimals: 80, rank: 1,"),
		"pairs.yaml":      edited(t, "pairs.yaml", "margin_bps: 60", "margin_bps: 0"),
	})
	if err == nil || len(strings.Split(err.Error(), "\n")) != 4 {
		t.Errorf("got %v, want four faults", err)
	}
	if _, err := loadWith(t, map[string]string{"banks.yaml": ""}); err == nil || !strings.HasSuffix(err.Error(), "banks.yaml: is empty") {
		t.Errorf("empty table: got %v", err)
	}
}

// A base may be valued in USD along two markets.
func TestLoadCatalog_USDPrice(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("catalog", "pairs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := loadWith(t, map[string]string{"pairs.yaml": strings.ReplaceAll(string(text), "pair: XRP/BTC,", "pair: VET/BTC,")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.Listings, func(l core.Listing) bool { return l.Pair.ID() == "VETBTC" }) {
		t.Error("VETBTC is not offered")
	}
}

func TestBanks_Names(t *testing.T) {
	t.Parallel()
	unwanted := regexp.MustCompile(`(?i)central bank|banque centrale|bank of ghana$|bank of tanzania$|nationale du rwanda|liquidation|umbrella|heritage|paybill|till|\b(mfb|ltd|limited|plc)\b`)
	shouting := regexp.MustCompile(`[A-ZÀ-Ý]{7,}`)
	for _, b := range load(t).Banks {
		if unwanted.MatchString(b.Name) || shouting.MatchString(b.Name) {
			t.Errorf("%s %s: %q", b.Country, b.Code, b.Name)
		}
	}
}

func TestBanks_Known(t *testing.T) {
	t.Parallel()
	c := load(t)
	tests := []struct {
		country, code, name string
		kind                core.BankType
		known               []string
		paystack            string // code of Paystack
	}{
		{"NG", "000013", "Guaranty Trust Bank", core.CommercialBank, []string{"058", "GTBINGLA"}, "058"},
		{"NG", "100004", "OPay", core.MobileMoneyBank, []string{"999992"}, "999992"},
		{"NG", "100033", "PalmPay", core.MobileMoneyBank, []string{"999991"}, "999991"},
		{"NG", "090286", "Safe Haven Microfinance Bank", core.MicrofinanceBank, []string{"51113", "951113"}, "51113"},
		{"NG", "090097", "Ekondo Microfinance Bank", core.MicrofinanceBank, []string{"562", "098"}, "098"},
		{"NG", "000030", "Parallex Bank", core.CommercialBank, []string{"104", "526"}, "104"},
		{"NG", "070006", "Covenant Microfinance Bank", core.MicrofinanceBank, nil, ""},
		{"NG", "100024", "Imperial Homes Mortgage Bank", core.MortgageBank, nil, ""},
		{"NG", "120001", "9mobile 9Payment Service Bank", core.PaymentServiceBank, nil, "120001"},
		{"GH", "030100", "Absa Bank Ghana", core.CommercialBank, []string{"BARCGHAC", "GH030100"}, ""},
		{"GH", "VOD", "Telecel Cash (Vodafone Cash)", core.MobileMoneyBank, []string{"TELECEL", "VODAFONE"}, ""},
		{"KE", "01", "KCB Bank Kenya", core.CommercialBank, []string{"KCBLKENX"}, ""},
		{"KE", "03", "Absa Bank Kenya", core.CommercialBank, []string{"10276", "BARCKENX"}, ""},
		{"KE", "MPESA", "M-PESA", core.MobileMoneyBank, []string{"MPS"}, ""},
		{"RW", "MTN", "MTN Mobile Money", core.MobileMoneyBank, []string{"MTN-RW"}, ""},
	}
	for _, test := range tests {
		i := slices.IndexFunc(c.Banks, func(b core.Bank) bool { return b.Country == test.country && b.Code == test.code })
		if i < 0 {
			t.Errorf("%s %s is missing", test.country, test.code)
			continue
		}
		b := c.Banks[i]
		if b.Name != test.name || b.Type != test.kind {
			t.Errorf("got %q, %s; want %q, %s", b.Name, b.Type, test.name, test.kind)
		}
		for _, alias := range test.known {
			if !slices.Contains(b.Aliases(), alias) {
				t.Errorf("%s has aliases %v, want %s among them", b.Name, b.Aliases(), alias)
			}
		}
		if code := cmp.Or(b.Codes["paystack"], b.Codes["cbn"]); code != test.paystack {
			t.Errorf("%s is %q at Paystack, want %q", b.Name, code, test.paystack)
		}
	}
}

func TestBanks_Channels(t *testing.T) {
	t.Parallel()
	for _, b := range load(t).Banks {
		want := []core.Channel{core.BankTransfer}
		switch wallets := b.Type == core.MobileMoneyBank || b.Type == core.PaymentServiceBank; {
		case wallets && b.Country == "NG":
			want = []core.Channel{core.BankTransfer, core.MobileMoney}
		case wallets:
			want = []core.Channel{core.MobileMoney}
		}
		if !slices.Equal(b.Channels, want) {
			t.Errorf("%s %s: channels %v, want %v", b.Country, b.Name, b.Channels, want)
		}
	}
}

func TestCountries(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		currency, calling string
		digits            int // of a phone number, without the calling code
		channels          []core.Channel
	}{
		"CI": {"XOF", "+225", 10, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"CM": {"XAF", "+237", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"GH": {"GHS", "+233", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"KE": {"KES", "+254", 9, []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}},
		"NG": {"NGN", "", 0, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"RW": {"RWF", "+250", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"SN": {"XOF", "+221", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"TZ": {"TZS", "+255", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"UG": {"UGX", "+256", 9, []core.Channel{core.BankTransfer, core.MobileMoney}},
		"ZA": {"ZAR", "", 0, []core.Channel{core.BankTransfer}},
	}
	c := load(t)
	if len(c.Countries) != len(want) {
		t.Errorf("%d countries, want %d", len(c.Countries), len(want))
	}
	for _, country := range c.Countries {
		w := want[country.Code]
		if !slices.Equal(country.Currencies, []string{w.currency}) || country.Name == "" {
			t.Errorf("%s: name %q, currencies %v, want %s", country.Code, country.Name, country.Currencies, w.currency)
		}
		var got []core.Channel
		for _, rule := range country.Channels {
			got = append(got, rule.Channel)
			if !rule.Account.Pattern.MatchString(rule.Account.Example) || !slices.Equal(rule.Currencies, country.Currencies) {
				t.Errorf("%s: %+v", country.Code, rule)
			}
			phone := rule.Channel == core.MobileMoney && w.digits > 0
			if rule.Account.Phone != phone {
				t.Errorf("%s %s: phone is %t", country.Code, rule.Channel, rule.Account.Phone)
			}
			if phone {
				checkPhones(t, rule.Account, w.calling, w.digits)
			}
		}
		if !slices.Equal(got, w.channels) {
			t.Errorf("%s: channels %v, want %v", country.Code, got, w.channels)
		}
	}
}

func checkPhones(t *testing.T, rule core.AccountRule, calling string, digits int) {
	t.Helper()
	number := rule.Example
	if !strings.HasPrefix(number, calling) || len(number) != len(calling)+digits {
		t.Errorf("example %s is not %s and %d digits", number, calling, digits)
	}
	for _, other := range []string{number + "1", number[:len(number)-1], number[1:], "+1" + number[4:]} {
		if rule.Pattern.MatchString(other) {
			t.Errorf("%s is taken for a phone number under %s", other, calling)
		}
	}
}

func TestCountries_AccountNumbers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		country string
		channel core.Channel
		number  string
		fits    bool
	}{
		{"NG", core.BankTransfer, "0123456789", true},
		{"NG", core.MobileMoney, "0123456789", true}, // the published example
		{"NG", core.BankTransfer, "0022728151", true},
		{"NG", core.BankTransfer, "002272815", false},
		{"NG", core.BankTransfer, "00227281510", false},
		{"NG", core.BankTransfer, "002272815A", false},
		{"GH", core.BankTransfer, "0031625807099", true},
		{"KE", core.BankTransfer, "123456789", false},
		{"KE", core.PayBill, "666677", true},
		{"KE", core.Till, "1234", false},
		{"CI", core.BankTransfer, "CI0080111301134291200589", true},
		{"CI", core.BankTransfer, "A00801113011342912005891", true}, // the older form
		{"CI", core.BankTransfer, "SN0100152000048500003035", false},
		{"CI", core.BankTransfer, "011342912005", false},
		{"SN", core.BankTransfer, "SN0100152000048500003035", true},
		{"CM", core.BankTransfer, "1000200030027797631500", false},
		{"CI", core.MobileMoney, "+2250701234567", true},
		{"CI", core.MobileMoney, "+225701234567", false},
	}
	c := load(t)
	for _, test := range tests {
		i := slices.IndexFunc(c.Countries, func(n core.Country) bool { return n.Code == test.country })
		rule, ok := c.Countries[i].Channel(test.channel)
		if !ok || rule.Account.Pattern.MatchString(test.number) != test.fits {
			t.Errorf("%s %s %s: fits is not %t", test.country, test.channel, test.number, test.fits)
		}
	}
}

func TestCurrencies_FiatDecimals(t *testing.T) {
	t.Parallel()
	iso := map[string]int32{ // ISO 4217 list one, 2024-06-25
		"NGN": 2, "GHS": 2, "KES": 2, "ZAR": 2, "XOF": 0, "XAF": 0, "UGX": 0, "TZS": 2, "RWF": 0, "USD": 2, "EUR": 2, "GBP": 2,
	}
	found := 0
	for _, currency := range load(t).Currencies {
		if currency.Type != core.Fiat {
			continue
		}
		found++
		if units, ok := iso[currency.Code]; !ok || currency.Decimals != units {
			t.Errorf("%s: %d decimals, ISO 4217 has %d (%t)", currency.Code, currency.Decimals, units, ok)
		}
	}
	if found != len(iso) {
		t.Errorf("%d fiat currencies, want %d", found, len(iso))
	}
}

func TestCurrencies_Crypto(t *testing.T) {
	t.Parallel()
	stable := []string{"USDT", "USDC", "DAI", "PYUSD", "EURC", "CNGN"}
	codes, ranks := map[string]core.Currency{}, map[int]bool{}
	for _, currency := range load(t).Currencies {
		if currency.Type == core.Fiat {
			continue
		}
		codes[currency.Code], ranks[currency.Rank] = currency, true
		if (currency.Type == core.Stablecoin) != slices.Contains(stable, currency.Code) {
			t.Errorf("%s is of type %s", currency.Code, currency.Type)
		}
		if currency.Decimals > 8 {
			t.Errorf("%s is offered with %d decimals", currency.Code, currency.Decimals)
		}
		if first := slices.Concat(currency.Networks, []string{""})[0]; first != currency.DefaultNetwork {
			t.Errorf("%s: default network %q of %v", currency.Code, currency.DefaultNetwork, currency.Networks)
		}
	}
	for code := range strings.FieldsSeq(`BTC ETH USDT USDC BNB SOL XRP DOGE ADA TRX TON AVAX SHIB DOT LINK BCH LTC XLM NEAR UNI POL ATOM ETC
		AAVE FIL ALGO APT ARB OP INJ SUI DAI PYUSD EURC CNGN XTZ EOS HBAR ICP VET`) {
		if codes[code].Code == "" {
			t.Errorf("%s is missing", code)
		}
	}
	for rank := range len(codes) {
		if !ranks[rank+1] {
			t.Errorf("no currency has rank %d", rank+1)
		}
	}
}

func TestListings_Types(t *testing.T) {
	t.Parallel()
	c := load(t)
	kind := map[string]core.CurrencyType{}
	for _, currency := range c.Currencies {
		kind[currency.Code] = currency.Type
	}
	types, kinds := map[core.CurrencyType]int{}, map[string]int{}
	for _, listing := range c.Listings {
		base, counter := kind[listing.Pair.Base], kind[listing.Pair.Counter]
		types[base]++
		switch {
		case base == core.Fiat:
			kinds["fiat-fiat"]++
		case counter == core.Fiat:
			kinds["crypto-fiat"]++
		default:
			kinds["crypto-crypto"]++
		}
	}
	if n := len(c.Listings); n < 80 || n > 100 {
		t.Errorf("%d pairs, want 80 to 100", n)
	}
	for _, group := range []int{types[core.Fiat], types[core.Stablecoin], types[core.Crypto], kinds["fiat-fiat"], kinds["crypto-fiat"], kinds["crypto-crypto"]} {
		if group < 10 {
			t.Errorf("types %v, kinds %v: want ten or more of each", types, kinds)
		}
	}
}

func TestMarkets_FixedRates(t *testing.T) {
	t.Parallel()
	found := 0
	for _, market := range load(t).Markets {
		if market.Fixed.IsZero() {
			continue
		}
		found++
		if market.Pair.Base != "EUR" || market.Fixed.String() != "655.957" || len(market.Sources) != 0 {
			t.Errorf("%+v", market)
		}
	}
	if found != 2 {
		t.Errorf("%d treaty rates, want the rates of XOF and XAF", found)
	}
}

func TestMarkets_Used(t *testing.T) {
	t.Parallel()
	c := load(t)
	used := map[core.Pair]bool{}
	use := func(base, counter string) {
		p := core.Pair{Base: base, Counter: counter}
		used[p], used[p.Inverse()] = true, true
	}
	for _, listing := range c.Listings {
		use(listing.Pair.Base, "USD") // its limits
		if listing.Via == "" || listing.Direct || listing.Else == core.DirectRoute {
			use(listing.Pair.Base, listing.Pair.Counter)
		}
		if listing.Via == "" {
			continue
		}
		use(listing.Pair.Base, listing.Via)
		use(listing.Via, listing.Pair.Counter)
		use(listing.Pair.Base, listing.Else)
		use(listing.Else, listing.Pair.Counter)
	}
	for _, market := range c.Markets {
		if market.Bound != "" {
			use(market.Pair.Base, market.Bound)
			use(market.Bound, market.Pair.Counter)
		}
	}
	for _, market := range c.Markets {
		if !used[market.Pair] {
			t.Errorf("no listing uses the market %s", market.Pair)
		}
	}
}

// TestMarkets_Families checks that markets have more families than their quorum, so that none of them is required.
// USDT/GBP is the exception: listings that use it have another route.
func TestMarkets_Families(t *testing.T) {
	t.Parallel()
	c := load(t)
	family := map[string]string{}
	for _, s := range c.Sources {
		if s.Kind != core.MidSource {
			family[s.Name] = s.Family
		}
	}
	quorum := map[string]int{}
	for _, class := range c.MarketClasses {
		quorum[class.Name] = class.Quorum
	}
	for _, m := range c.Markets {
		families := map[string]bool{}
		for _, source := range m.Sources {
			if family[source] != "" {
				families[family[source]] = true
			}
		}
		if exception := m.Pair.String() == "USDT/GBP"; quorum[m.Class] > 1 && (len(families) <= quorum[m.Class]) != exception {
			t.Errorf("%s has %d families and a quorum of %d", m.Pair, len(families), quorum[m.Class])
		}
		if m.Quorum != 0 {
			t.Errorf("%s: a quorum of its own, %d", m.Pair, m.Quorum)
		}
	}
}

// TestMarkets_RequestPerMarket checks that all markets of venues that need a request for each can be polled in their
// interval and in the time of a poll, with a quarter of a second left for the last response.
func TestMarkets_RequestPerMarket(t *testing.T) {
	t.Parallel()
	c := load(t)
	const poll = 5 * time.Second
	perSecond := map[string]int{coinbase.Name: 8, gemini.Name: 1} // four fifths of the limit, and what Gemini recommends
	for _, s := range c.Sources {
		markets := 0
		for _, m := range c.Markets {
			if slices.Contains(m.Sources, s.Name) {
				markets++
			}
		}
		rate, limited := perSecond[s.Name]
		if !limited {
			continue
		}
		if takes := time.Duration(markets-1) * time.Second / time.Duration(rate); markets == 0 || takes+250*time.Millisecond > min(s.Interval, poll) {
			t.Errorf("%s: %d markets take %s, and are polled every %s", s.Name, markets, takes, s.Interval)
		}
	}
}
