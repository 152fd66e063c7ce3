package addresses_test

import (
	"strings"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

const (
	segwitAddress  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	cashAddress    = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
	evmAddress     = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	cardanoAddress = "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"
	tronAddress    = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
)

// badInput holds texts that people paste, with the reason and a part of the message.
func badInput() []struct{ name, network, text, reason, says string } {
	words := "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	return []struct{ name, network, text, reason, says string }{
		{"trailing newline", "BTC", segwitAddress + "\n", addresses.Whitespace, "Character 43 is a line break. Without such characters it is the valid address " + segwitAddress + "."},
		{"carriage return inside", "BTC", segwitAddress[:9] + "\r\n" + segwitAddress[9:], addresses.Whitespace, "Character 10 is a line break. There are 2 characters that"},
		{"leading space", "BTC", " " + segwitAddress, addresses.Whitespace, "Character 1 is a space."},
		{"trailing tab", "TRX", tronAddress + "\t", addresses.Whitespace, "Character 35 is a tab."},
		{"control character", "BTC", segwitAddress + "\x00", addresses.Whitespace, "a control character (U+0000)"},
		{"newline, and a typing mistake", "BTC", segwitAddress[:41] + "5\n", addresses.Whitespace, "Copy the address again from the wallet."},
		{"newline after an address without a checksum", "SOL", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v\n", addresses.Whitespace, "line break. Copy the address again"},
		{"twice", "BTC", segwitAddress + segwitAddress, addresses.BadLength, "pasted twice. Once, it is " + segwitAddress + "."},
		{"twice, in two lines", "BTC", segwitAddress + "\n" + segwitAddress, addresses.Whitespace, "pasted twice. Once, it is " + segwitAddress + "."},
		{"twice, too long for any", "TRX", strings.Repeat("1", 150) + strings.Repeat("1", 150), addresses.TooLong, "longer"},
		{"zero-width space", "BTC", "bc1q\u200b" + segwitAddress[4:], addresses.NotASCII, "Character 5 is an invisible mark (U+200B), not ASCII. Without such characters it is the valid address " + segwitAddress + "."},
		{"byte order mark", "BTC", "\ufeff" + segwitAddress, addresses.NotASCII, "Character 1 is an invisible mark (U+FEFF)"},
		{"variation selector", "ETH", evmAddress + "\ufe0f", addresses.NotASCII, "invisible mark (U+FE0F)"},
		{"right-to-left mark", "ETH", "\u202e" + evmAddress, addresses.NotASCII, "invisible mark (U+202E)"},
		{"non-breaking space", "BTC", segwitAddress + "\u00a0", addresses.NotASCII, "Character 43 is a space of another kind (U+00A0)"},
		{"full-width digit", "BTC", segwitAddress[:41] + "４", addresses.NotASCII, "Character 42 is the full-width form of 4 (U+FF14), not the ASCII one. Without such characters it is the valid address " + segwitAddress + "."},
		{"full-width throughout", "BTC", "ｂｃ１ｑ", addresses.NotASCII, "There are 4 characters"},
		{"Arabic digit", "BTC", segwitAddress[:41] + "٤", addresses.NotASCII, "a digit of another script (U+0664)"},
		{"Cyrillic look-alike", "BTC", "bс1" + segwitAddress[3:], addresses.NotASCII, "Character 2 is a look-alike of c from another script (U+0441), not the ASCII letter. Copy the address again"},
		{"Greek look-alike", "TRX", "ΤR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", addresses.NotASCII, "Character 1 is a look-alike of T from another script (U+03A4)"},
		{"letter with an accent", "BTC", "é" + segwitAddress, addresses.NotASCII, "Character 1 is not ASCII (U+00E9)"},
		{"invalid UTF-8", "BTC", "bc1q\xff\xfe", addresses.NotASCII, "Character 5 is a byte that belongs to no text"},
		{"100 kB", "BTC", strings.Repeat("1", 100_000), addresses.TooLong, "longer"},
		{"100 kB of an address", "BTC", strings.Repeat(segwitAddress, 2400), addresses.TooLong, "longer"},
		{"null, as a text", "BTC", "null", addresses.BadCharacter, "looks like"},
		{"number, as a text", "BTC", "12345", addresses.BadLength, "looks like"},
		{"private key", "BTC", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", addresses.SecretKey, "private key"},
		{"private key of Ethereum", "ETH", "0xe8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35", addresses.SecretKey, "private key"},
		{"seed phrase", "BTC", words, addresses.SecretKey, "never send it to anybody"},
		{"Lightning invoice", "BTC", "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4js", addresses.LightningInvoice, "Lightning"},
		{"Lightning invoice as a link", "BTC", "lightning:lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg", addresses.LightningInvoice, "Lightning"},
		{"ENS name", "ETH", "vitalik.eth", addresses.NameNotAddress, "name"},
		{"ENS name, elsewhere", "BTC", "vitalik.eth", addresses.NameNotAddress, "name"},
		{"EIP-55, one case changed", "ETH", "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", addresses.BadChecksum, "wrong in 1 of 18 letters, first in character 4, which is A where the checksum requires a. If every character is right, the address is written " + evmAddress},
		{"EIP-55, one digit changed", "ETH", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee", addresses.BadChecksum, "a character is probably mistyped"},
		{"link of a scheme that is not read", "ADA", "cardano:" + cardanoAddress + "?amount=1", addresses.PaymentURI, "The address inside it is valid: " + cardanoAddress + ". Send that"},
		{"such a link to an address of another network", "BTC", "polygon:" + evmAddress, addresses.PaymentURI, "of another network. This is not an address of Bitcoin but of Ethereum"},
		{"such a link to an address with a typing mistake", "ADA", "web+cardano:" + cardanoAddress[:57] + "9", addresses.PaymentURI, "not a valid address either: The checksum"},
		{"such a link with a long text inside", "ADA", "cardano:" + strings.Repeat("1", 600), addresses.PaymentURI, "not a valid address either"},
		{"such a link without an address", "ADA", "cardano:?amount=1", addresses.PaymentURI, "payment link"},
		{"link", "BTC", "bitcoin:" + segwitAddress + "?amount=1", addresses.PaymentURIOtherCurrency, "asks for BTC, not for COIN"},
		{"another network", "ETH", segwitAddress, addresses.WrongNetwork, "This is not an address of Ethereum but of Bitcoin"},
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range badInput() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := validate(t, only(t, test.network), test.text)
			if v.Valid || v.Reason != test.reason || !strings.Contains(v.Message, test.says) {
				t.Errorf("got %v %q %q, want reason %q and a message with %q", v.Valid, v.Reason, v.Message, test.reason, test.says)
			}
			if test.reason == addresses.SecretKey {
				if v.Address != "****" || strings.Contains(v.Message, test.text) {
					t.Errorf("got %q, %q; want the secret masked", v.Address.Reveal(), v.Message)
				}
			} else if v.Address.Reveal() != test.text {
				t.Errorf("got address %q, want it as sent", v.Address.Reveal())
			}
		})
	}
}

// In production the message says that an address belongs to a test network.
func TestBadInput_TestNetworks(t *testing.T) {
	t.Parallel()
	const testnet = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	production := service(t, false)
	for _, c := range []struct{ name, currency, text, reason, says string }{
		{"same network", "BTC", testnet, addresses.WrongEnvironment, "test network address of Bitcoin"},
		{"another network", "ETH", testnet, addresses.WrongNetwork, "This is not an address of Ethereum but of the test network of Bitcoin."},
		{"in a link", "BTC", "bitcoin:" + testnet, addresses.WrongEnvironment, "In the payment link: This is a test network address of Bitcoin"},
		{"in a link that is not read", "BTC", "bitcoinsv:" + testnet, addresses.PaymentURI, "The address inside it, " + testnet + ", is of the test network of Bitcoin"},
		{"with a newline", "BTC", testnet + "\n", addresses.Whitespace, "line break. Copy the address again"},
	} {
		v, err := production.Validate(core.AddressQuery{Currency: c.currency, Network: c.currency, Address: core.Private(c.text)})
		if err != nil || v.Valid || v.Reason != c.reason || !strings.Contains(v.Message, c.says) || len(v.PossibleNetworks) > 0 {
			t.Errorf("%s: got %q %q %v %v, want %q and a message with %q", c.name, v.Reason, v.Message, v.PossibleNetworks, err, c.reason, c.says)
		}
	}
}

// BenchmarkBadInput measures pasted texts; none may take more than 50 µs.
func BenchmarkBadInput(b *testing.B) {
	for _, input := range badInput() {
		b.Run(strings.ReplaceAll(input.name, " ", "-"), func(b *testing.B) {
			s, q := only(b, input.network), core.AddressQuery{Currency: "COIN", Address: core.Private(input.text)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Validate(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
