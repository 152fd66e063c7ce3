package addresses_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/addresses"
)

func validate(t testing.TB, s *addresses.Service, address string) core.Verdict {
	t.Helper()
	v, err := s.Validate(core.AddressQuery{Currency: "COIN", Address: core.Private(address)})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValidate_PastedText(t *testing.T) {
	t.Parallel()
	const segwit = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	tests := []struct{ name, network, text, reason, says string }{
		{"empty", "BTC", "", addresses.Empty, "empty"},
		{"long text", "BTC", strings.Repeat("1", 100_000), addresses.TooLong, "longer"},
		{"201 bytes", "BTC", strings.Repeat("1", 201), addresses.TooLong, "longer"},
		{"newline", "BTC", segwit + "\n", addresses.Whitespace, "line break"},
		{"NUL", "BTC", segwit + "\x00", addresses.Whitespace, "control"},
		{"non-breaking space", "BTC", segwit + "\u00a0", addresses.NotASCII, "ASCII"},
		{"zero-width space", "BTC", "bc1q\u200bw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", addresses.NotASCII, "invisible"},
		{"invalid UTF-8", "BTC", "bc1q\xff\xfe", addresses.NotASCII, "ASCII"},
		{"Lightning invoice", "BTC", "lnbc2500u1" + strings.Repeat("p", 300), addresses.LightningInvoice, "Lightning"},
		{"Lightning address", "BTC", "satoshi@walletofsatoshi.com", addresses.LightningInvoice, "Lightning"},
		{"ENS name", "ETH", "vitalik.eth", addresses.NameNotAddress, "name"},
		{"ADA handle", "BTC", "$handle", addresses.NameNotAddress, "name"},
		{"extended public key", "BTC", "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8", addresses.ExtendedPublicKey, "extended"},
		{"public key", "BTC", "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", addresses.NotPayable, "public key"},
		{"ICAP", "ETH", "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS", addresses.UnsupportedFormat, "ICAP"},
		{"EIP-55 with a wrong letter", "ETH", "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.BadChecksum, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
		{"no 0x", "ETH", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.BadEncoding, "0x"},
		{"address twice", "BTC", segwit + segwit, addresses.BadLength, "pasted twice. Once, it is " + segwit + "."},
		{"address of Solana twice", "SOL", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vEPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", addresses.BadLength, "pasted twice"},
		{"address with a wrong letter and its own prefix", "BCH", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6c", addresses.BadChecksum, "checksum"},
		{"name of NEAR", "ETH", "alice.near", addresses.WrongNetwork, "NEAR"},
		{"name of NEAR in capitals, on NEAR", "NEAR", "Alice.near", addresses.BadCase, "a to z"},
		{"address of a retired chain", "ETH", "bnb1w508d6qejxtdg4y5r3zarvary0c5xw7kcegkwk", addresses.WrongNetwork, "BNB Smart Chain"},
		{"raw TON", "TON", "0:8a8627861a5dd96c9db3ce0807b122da5ed473934ce7568a5b4b1c361cbb28ae", addresses.UnsupportedFormat, "raw form"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := validate(t, only(t, test.network), test.text)
			if v.Valid || v.Reason != test.reason || !strings.Contains(v.Message, test.says) {
				t.Errorf("got %v %q %q, want reason %q and a message with %q", v.Valid, v.Reason, v.Message, test.reason, test.says)
			}
			if string(v.Address) != test.text {
				t.Errorf("got address %q, want it as sent", string(v.Address))
			}
		})
	}
}

func TestValidate_SecretsAreMasked(t *testing.T) {
	t.Parallel()
	words := "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	// Published test vectors only: BIP-32, BIP-38, BIP-39, SEP-23, the XRP Ledger's and Tezos'
	// documentation.
	secrets := map[string]string{
		"WIF":                        "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
		"WIF, compressed":            "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617",
		"WIF with a typing mistake":  "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98618",
		"WIF of Litecoin":            "T33ydQRKp4FCW5LCLLUB7deioUMoveiwekdwUwyfRDeGZm76aUjV",
		"WIF with a newline":         "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617\n",
		"WIF in a link":              "bitcoin:KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617?amount=1",
		"WIF with an invisible mark": "KwdMAjGmerYanjeui5SHS7JkmpZvVip\u200bYvB2LJGU1ZxJwYvP98617",
		"WIF with a homoglyph":       "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvР98617",
		"WIF in full width":          wide("KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"),
		"WIF twice in a row":         strings.Repeat("KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617", 2),
		"XRP seed twice in a row":    strings.Repeat("sn259rEFXrQrWyx3Q7XneWcwV6dfL", 2),
		"0x key twice in a row":      strings.Repeat("0xe8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35", 2),
		"WIF after a word":           "key: KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617",
		"WIF twice":                  "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617 KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617",
		"BIP-38":                     "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
		"xprv":                       "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
		"words":                      words,
		"words with commas":          strings.ReplaceAll(words, " ", ", "),
		"words in lines":             strings.ReplaceAll(words, " ", "\n"),
		"words with dashes":          strings.ReplaceAll(words, " ", "-"),
		"words with points":          strings.ReplaceAll(words, " ", "."),
		"words with underscores":     strings.ReplaceAll(words, " ", "_"),
		"words with bars":            strings.ReplaceAll(words, " ", "|"),
		"half of the words":          "abandon abandon abandon abandon abandon about",
		"words in capitals":          strings.ToUpper(words),
		"words of Spanish":           "ábaco ábaco ábaco ábaco ábaco ábaco ábaco ábaco ábaco ábaco ábaco abierto",
		"Stellar seed":               "SBGWKM3CD4IL47QN6X54N6Y33T3JDNVI6AIJ6CD5IM47HG3IG4O36XCU",
		"Stellar seed, mistyped":     "SBGWKM3CD4IL47QN6X54N6Y33T3JDNVI6AIJ6CD5IM47HG3IG4O36XCA",
		"XRP seed":                   "sn259rEFXrQrWyx3Q7XneWcwV6dfL",
		"XRP ed25519 seed":           "sEdTM1uX8pu2do5XvTnutH6HsouMaM2",
		"Tezos seed":                 "edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh",
		"private key in hex":         "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
		"AIP-80":                     "ed25519-priv-0xe8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
		"nsec":                       "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
		"PEM":                        "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE",
		"Solana key pair":            "[" + strings.Repeat("174,", 63) + "12]",
		"EOSIO":                      "PVT_K1_bFJyWsXpqkLMEyAcZTgJVmFkp1hFLBxQ2RB7rTYE1RQTyvLAZ",
	}
	for name, secret := range secrets {
		for _, network := range []string{"BTC", "ETH", "TRX", "XLM", "TON", "XRP", "SOL", "LTC"} {
			t.Run(name+" on "+network, func(t *testing.T) {
				t.Parallel()
				v := validate(t, only(t, network), secret)
				if v.Valid || v.Reason != addresses.SecretKey {
					t.Fatalf("got %v %q, want reason secret_key", v.Valid, v.Reason)
				}
				shown := string(v.Address) + v.Message + v.Normalized + strings.Join(v.PossibleNetworks, "")
				for _, part := range strings.FieldsFunc(secret, func(c rune) bool { return strings.ContainsRune(" \n,:?=-._|", c) }) {
					if len(part) >= 6 && strings.Contains(shown, part) {
						t.Errorf("verdict contains %q of the secret", part)
					}
				}
			})
		}
	}
}

// wide returns a text in full-width forms.
func wide(text string) string {
	return strings.Map(func(c rune) rune { return c + 0xfee0 }, text)
}

func TestValidate_HexadecimalKeys(t *testing.T) {
	t.Parallel()
	const digits = "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"
	for network, want := range map[string][2]string{ // without 0x, with 0x
		"BTC": {addresses.SecretKey, addresses.SecretKey}, "SOL": {addresses.SecretKey, addresses.SecretKey}, "XLM": {addresses.SecretKey, addresses.SecretKey}, "ETH": {addresses.SecretKey, addresses.SecretKey},
		"TRX": {addresses.SecretKey, addresses.SecretKey}, "DOT": {addresses.SecretKey, addresses.SecretKey},
		"APT": {addresses.WrongNetwork, ""}, "SUI": {addresses.WrongNetwork, ""}, "NEAR": {"", addresses.SecretKey}, "STRK": {addresses.WrongNetwork, addresses.SecretKey},
	} {
		s := only(t, network)
		bare, prefixed := validate(t, s, digits), validate(t, s, "0x"+digits)
		if bare.Reason != want[0] || prefixed.Reason != want[1] {
			t.Errorf("%s: got %q and with 0x %q, want %q", network, bare.Reason, prefixed.Reason, want)
		}
	}
	for _, text := range []string{"0x" + digits, "0X" + digits, "ethereum:0x" + digits, "ethereum:0x" + digits + "?value=1"} {
		for _, network := range []string{"BTC", "ETH", "NEAR", "XRP"} {
			v := validate(t, only(t, network), text)
			if v.Reason != addresses.SecretKey || v.Address != "****" || strings.Contains(v.Message, digits[:8]) {
				t.Errorf("%s %q: got %q %q %q", network, text, v.Address.Reveal(), v.Reason, v.Message)
			}
		}
	}
	if v := validate(t, only(t, "BTC"), "0x"+digits); !cmp.Equal(v.PossibleNetworks, []string{"APT", "SUI", "IOTA"}) {
		t.Errorf("0x and 64 digits: got possible networks %v, want APT, SUI and IOTA", v.PossibleNetworks)
	}
}

func TestValidate_Environments(t *testing.T) {
	t.Parallel()
	currencies := []core.Currency{{Code: "COIN", Type: core.Crypto, DefaultNetwork: "BTC", Networks: []string{"BTC"}}}
	production, err := addresses.New(currencies, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	const testnet = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	if v := validate(t, production, testnet); v.Valid || v.Reason != addresses.WrongEnvironment || v.Environment != core.Testnet || v.Normalized != "" {
		t.Errorf("production: got %+v, want wrong_environment", v)
	}
	if v := validate(t, only(t, "BTC"), testnet); !v.Valid || v.Environment != core.Testnet {
		t.Errorf("sandbox: got %+v, want a valid testnet address", v)
	}
	if v := validate(t, production, "TE2RzoSV3wFK99w6J9UnnZ4vLfXYoxvRwP"); v.Reason != addresses.WrongNetwork || !cmp.Equal(v.PossibleNetworks, []string{"TRX"}) {
		t.Errorf("TRON address on Bitcoin: got %+v, want wrong_network", v)
	}
}

func TestValidate_MemoInAddress(t *testing.T) {
	t.Parallel()
	v := validate(t, only(t, "XRP"), "XVLhHMPHU98es4dbozjVtdWzVrDjtV8xvjGQTYPiAx6gwDC")
	if !v.Valid || v.Normalized != "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf" || v.Memo == nil || *v.Memo != "1" || v.Warnings != nil {
		t.Errorf("got %+v with memo %v, want the classic account and memo 1", v, v.Memo)
	}
}

func TestNew_UnknownNetworks(t *testing.T) {
	t.Parallel()
	_, err := addresses.New([]core.Currency{
		{Code: "AAA", Networks: []string{"BTC", "NOWHERE"}},
		{Code: "BBB", DefaultNetwork: "ERC20"},
		{Code: "CCC", Networks: []string{"ETH"}},
	}, addresses.Policy{})
	if err == nil {
		t.Fatal("got no error, want one for unknown networks")
	}
	for _, want := range []string{"AAA", "NOWHERE", "BBB", "ERC20"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "CCC") {
		t.Errorf("got %v, want an error without the valid currency", err)
	}
}

func TestValidate_InvalidRequests(t *testing.T) {
	t.Parallel()
	s := carriers(t)
	tests := []struct {
		name  string
		q     core.AddressQuery
		field string
		says  []string
	}{
		{"unknown currency", core.AddressQuery{Currency: "DOGGO"}, "currency", []string{`"DOGGO"`, "GET /v1/currencies"}},
		{"misspelt currency", core.AddressQuery{Currency: "USTD"}, "currency", []string{"did you mean USDT?"}},
		{"fiat currency", core.AddressQuery{Currency: "NGN"}, "currency", []string{"fiat"}},
		{"currency without a network", core.AddressQuery{Currency: "NEWCOIN"}, "currency", []string{"no network here yet"}},
		{"network that does not carry it", core.AddressQuery{Currency: "USDT", Network: "SOL"}, "network", []string{"SOL (Solana)", "TRX, ETH, BSC"}},
		{"unknown network", core.AddressQuery{Currency: "USDT", Network: "NOWHERE"}, "network", []string{`"NOWHERE"`, "TRX, ETH, BSC"}},
		{"retired network", core.AddressQuery{Currency: "USDT", Network: "OMNI"}, "network", []string{"OMNI (Omni Layer) is retired", "TRX, ETH, BSC"}},
		{"retired network by another name", core.AddressQuery{Currency: "USDT", Network: "BEP2"}, "network", []string{"BNBBEACON", "BNB Smart Chain"}},
		{"unknown kind of memo", core.AddressQuery{Currency: "XRP", MemoType: "colour"}, "memo_type", []string{`"colour"`, "text, id, hash and return"}},
		{"kind of memo of another network", core.AddressQuery{Currency: "XRP", MemoType: "hash"}, "memo_type", []string{"XRP", "id"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Validate(test.q)
			var e *core.Error
			if !errors.As(err, &e) || e.Code != core.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != test.field {
				t.Fatalf("got %v, want an invalid %s", err, test.field)
			}
			for _, want := range test.says {
				if !strings.Contains(e.Fields[0].Reason, want) {
					t.Errorf("got reason %q, want %q in it", e.Fields[0].Reason, want)
				}
			}
		})
	}
}

// The error for a wrong currency lists the supported currencies, at most two hundred.
func TestValidate_SupportedCurrencies(t *testing.T) {
	t.Parallel()
	list := []core.Currency{{Code: "NGN", Type: core.Fiat}, {Code: "NEWCOIN", Type: core.Crypto}}
	for i := range 203 {
		list = append(list, core.Currency{Code: fmt.Sprintf("COIN%03d", i), Type: core.Crypto, Networks: []string{"BTC"}})
	}
	for _, c := range []struct {
		of   int
		ends string
	}{{2 + 3, "ccepted: COIN000, COIN001, COIN002. See GET /v1/currencies"}, {len(list), ", COIN198, COIN199 and 3 more. See GET /v1/currencies"}} {
		s, err := addresses.New(list[:c.of], addresses.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		for code, begins := range map[string]string{
			"": "is required; accepted: COIN000, ", "XXX": `"XXX" is not supported; accepted: COIN000, `, "COIN00": `"COIN00" is not supported; did you mean COIN000? Accepted: COIN000, `,
			"NGN": "NGN is a fiat currency, which has no addresses; accepted: COIN000, ", "NEWCOIN": "NEWCOIN has no network here yet, so its addresses cannot be checked; accepted: COIN000, ",
		} {
			_, err := s.Validate(core.AddressQuery{Currency: code})
			e, ok := errors.AsType[*core.Error](err)
			if !ok || len(e.Fields) != 1 || e.Fields[0].Field != "currency" || !strings.HasPrefix(e.Fields[0].Reason, begins) || !strings.HasSuffix(e.Fields[0].Reason, c.ends) {
				t.Errorf("%q of %d: got %v, want %s … %s", code, c.of, err, begins, c.ends)
			}
		}
	}
}

func TestValidate_NetworkAliases(t *testing.T) {
	t.Parallel()
	s := carriers(t)
	for _, q := range []core.AddressQuery{
		{Currency: "USDT", Network: "erc20", Address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
		{Currency: "USDT", Network: "ETHEREUM", Address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
		{Currency: "USDT", Address: "TAQudCd1FmE2Y9vpHkp1FDTCVDMgC2bKFM"}, // the default network
	} {
		v, err := s.Validate(q)
		if want := map[bool]string{true: "TRX", false: "ETH"}[q.Network == ""]; err != nil || !v.Valid || v.Network != want {
			t.Errorf("network %q: got %+v, %v, want %s", q.Network, v, err, want)
		}
	}
}

// Display names of networks are accepted in any case and spacing.
func TestValidate_NetworkDisplayNames(t *testing.T) {
	t.Parallel()
	for _, n := range addresses.Registry() {
		for _, name := range append([]string{n.Name, strings.ToLower(n.Name), strings.ReplaceAll(n.Name, " ", "-"), n.Code}, n.OtherNames...) {
			if n.Retired != "" {
				_, err := carriers(t).Validate(core.AddressQuery{Currency: "USDT", Network: name, Address: "1"})
				if err == nil || !strings.Contains(err.Error(), n.Code+" ("+n.Name+") is retired") {
					t.Errorf("%s by the name %q: %v", n.Code, name, err)
				}
				continue
			}
			v, err := only(t, n.Code).Validate(core.AddressQuery{Currency: "COIN", Network: name, Address: "1"})
			if err != nil || v.Network != n.Code {
				t.Errorf("%s by the name %q: %q, %v", n.Code, name, v.Network, err)
			}
		}
	}
	for name, code := range map[string]string{
		"Tron (TRC20)": "TRX", "TRON(TRC-20)": "TRX", "BNB Smart Chain (BEP20)": "BSC", "bnb smart chain": "BSC", "Arbitrum One": "ARBITRUM",
		"Ethereum (ERC20)": "ETH", "Avalanche C-Chain": "AVAXC",
	} {
		v, err := only(t, code).Validate(core.AddressQuery{Currency: "COIN", Network: name, Address: "1"})
		if err != nil || v.Network != code {
			t.Errorf("%q: %q, %v", name, v.Network, err)
		}
	}
	for _, name := range []string{"Tron (ERC20)", "()", "-", "Tron (", "Ethereum ()"} {
		if v, err := only(t, "TRX").Validate(core.AddressQuery{Currency: "COIN", Network: name, Address: "1"}); err == nil && name != "Tron (" {
			t.Errorf("%q: got network %s, want an error", name, v.Network)
		}
	}
}

// No two networks share a name after case, spaces, hyphens and parentheses are removed.
func TestNetworks_UniqueNames(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, n := range addresses.Registry() {
		for _, name := range append([]string{n.Code, n.Name}, n.OtherNames...) {
			name = addresses.BareName(name)
			if other := owner[name]; name == "" || other != "" && other != n.Code {
				t.Errorf("%q: got networks %s and %s, want one", name, n.Code, other)
			}
			owner[name] = n.Code
		}
	}
}

// carriers returns a production service with a few currencies.
func carriers(t testing.TB) *addresses.Service {
	t.Helper()
	s, err := addresses.New([]core.Currency{
		{Code: "USDT", Type: core.Stablecoin, DefaultNetwork: "TRX", Networks: []string{"TRX", "ETH", "BSC"}},
		{Code: "XRP", Type: core.Crypto, Networks: []string{"XRP"}},
		{Code: "NEWCOIN", Type: core.Crypto},
		{Code: "NGN", Type: core.Fiat},
	}, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNetworks_Complete(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, n := range addresses.Registry() {
		if n.Name == "" || n.Source == "" || len(n.Checked) != len("2026-11") || n.Memo.Rule == "" || len(n.Formats) == 0 {
			t.Errorf("%s: got incomplete row %+v", n.Code, n)
		}
		for _, name := range append([]string{n.Code}, n.OtherNames...) {
			if owner[name] != "" || strings.ToUpper(name) != name {
				t.Errorf("%s: got name %q (also of %q), want a unique name in capitals", n.Code, name, owner[name])
			}
			owner[name] = n.Code
		}
	}
}

func TestNetworks_Examples(t *testing.T) {
	t.Parallel()
	for _, n := range addresses.Registry() {
		if n.Retired != "" {
			continue
		}
		s, checksum := only(t, n.Code), false
		for _, f := range n.Formats {
			v := validate(t, s, f.Example)
			if !v.Valid || v.Format != f.Name || v.Environment == core.Testnet {
				t.Errorf("%s: example of %s: got %v %s %q %s", n.Code, f.Name, v.Valid, v.Environment, v.Format, v.Reason)
			}
			checksum = checksum || v.Checksum
		}
		if checksum != n.Checksum {
			t.Errorf("%s: got checksum %v, want %v as in the examples", n.Code, n.Checksum, checksum)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	codes := addresses.Codes()
	if len(codes) != 43 {
		t.Errorf("got %d codes, want the 24 reasons and 12 warnings of the contract, and 7 reasons against payment links", len(codes))
	}
	clear(codes)
	if len(addresses.Codes()) == 0 {
		t.Error("the table changed with the returned copy")
	}
}

func TestNetworks_ReturnsCopy(t *testing.T) {
	t.Parallel()
	s := only(t, "XLM")
	for _, n := range s.Networks() {
		n.Formats[0].Example = ""
		for i := range n.Memo.Kinds {
			n.Memo.Kinds[i] = ""
		}
	}
	for _, n := range s.Networks() {
		if n.Formats[0].Example == "" {
			t.Errorf("%s: the registry changed with the returned copy", n.Code)
		}
	}
}
