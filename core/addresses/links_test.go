package addresses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/addresses"
)

const (
	solanaAddress  = "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"
	stellarAddress = "GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO"
	rippleAddress  = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
	bip21Address   = "1BoatSLRHtKNngkdXEeobR76b53LETtpyT" // in place of BIP-21's own, which is invalid on purpose
	twelveWords    = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	privateKey     = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
)

// linkCatalog has the currencies of the tests.
func linkService(t testing.TB) *addresses.Service {
	t.Helper()
	var list []core.Currency
	for code, networks := range map[string]string{
		"BTC": "BTC", "LTC": "LTC", "DOGE": "DOGE", "DASH": "DASH", "BCH": "BCH", "ETH": "ETH BASE", "BNB": "BSC", "POL": "MATIC",
		"USDT": "ETH BSC TRX SOL", "USDC": "SOL XLM", "XRP": "XRP", "XLM": "XLM", "TRX": "TRX", "SOL": "SOL", "ADA": "ADA", "TON": "TON",
	} {
		list = append(list, core.Currency{Code: code, Type: core.Crypto, Networks: strings.Fields(networks)})
	}
	s, err := addresses.New(list, addresses.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// linkTest is a link and what is found in it: "currency amount memo label", or the reason against it.
type linkTest struct{ name, currency, network, link, want string }

func testLinks(t *testing.T, tests []linkTest) {
	t.Helper()
	s := linkService(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, err := s.Validate(core.AddressQuery{Currency: test.currency, Network: test.network, Address: core.Private(test.link)})
			if err != nil {
				t.Fatal(err)
			}
			got := v.Reason
			if p := v.Payment; v.Valid && p != nil {
				got = p.Address.Reveal() + " " + p.Currency
				if p.Amount != nil {
					got += " " + p.Amount.String()
				}
				if p.Memo != "" {
					got += " memo=" + p.Memo.Reveal()
				}
				if p.Label != "" {
					got += " label=" + p.Label.Reveal()
				}
			}
			if got != test.want || v.Valid == (v.Reason != "") || !v.Valid && v.Message == "" {
				t.Errorf("%s: got %q (%s), want %q", test.link, got, v.Message, test.want)
			}
		})
	}
}

// The examples of the standards.
func TestLinks_Standards(t *testing.T) {
	t.Parallel()
	const (
		solanaPay = "solana:" + solanaAddress
		stellar   = "web+stellar:pay?destination=" + stellarAddress
		ethereum  = "ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359"
	)
	testLinks(t, []linkTest{
		// github:bitcoin/bips 7fe0b03, bip-0021.mediawiki. Its address is invalid on purpose, which comes first.
		{"BIP-21 address as published", "BTC", "BTC", "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W", addresses.BadChecksum},
		{"BIP-21 address", "BTC", "BTC", "bitcoin:" + bip21Address, bip21Address + " BTC"},
		{"BIP-21 name", "BTC", "BTC", "bitcoin:" + bip21Address + "?label=Luke-Jr", bip21Address + " BTC label=Luke-Jr"},
		{"BIP-21 amount", "BTC", "BTC", "bitcoin:" + bip21Address + "?amount=20.3&label=Luke-Jr", bip21Address + " BTC 20.3 label=Luke-Jr"},
		{"BIP-21 message", "BTC", "BTC", "bitcoin:" + bip21Address + "?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz", bip21Address + " BTC 50 label=Luke-Jr"},
		{"BIP-21 required", "BTC", "BTC", "bitcoin:" + bip21Address + "?req-somethingyoudontunderstand=50&req-somethingelseyoudontget=999", addresses.PaymentURIRequired},
		{"BIP-21 optional", "BTC", "BTC", "bitcoin:" + bip21Address + "?somethingyoudontunderstand=50&somethingelseyoudontget=999", bip21Address + " BTC"},
		{"BIP-321 upper case", "BTC", "BTC", "BITCOIN:" + strings.ToUpper(segwitAddress) + "?AMOUNT=0.00001", segwitAddress + " BTC 0.00001"},
		{"BIP-321 invoice and address", "BTC", "BTC", "bitcoin:" + segwitAddress + "?amount=0.1&lightning=lnbc420bogusinvoice", segwitAddress + " BTC 0.1"},
		{"BIP-321 invoice alone", "BTC", "BTC", "bitcoin:?lightning=lnbc420bogusinvoice", addresses.LightningInvoice},
		{"BIP-321 offer alone", "BTC", "BTC", "bitcoin:?lno=lno1bogusoffer", addresses.LightningInvoice},
		{"BIP-321 proof of payment", "BTC", "BTC", "bitcoin:" + segwitAddress + "?req-pop=callbackuri%3a", addresses.PaymentURIRequired},
		// github:ethereum/ERCs 9c718c7, ERCS/erc-681.md. The address has upper-case letters that ERC-55 refuses.
		{"ERC-681 ether as published", "ETH", "ETH", ethereum + "?value=2.014e18", addresses.BadChecksum},
		{"ERC-681 ether", "ETH", "ETH", strings.ToLower(ethereum) + "?value=2.014e18", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359 ETH 2.014"},
		{"ERC-681 token", "ETH", "ETH", "ethereum:0x89205a3a3b2a69de6dbf7f01ed13b2108b2c43e7/transfer?address=0x8e23ee67d1332ad560396262c48ffbb01f93d052&uint256=1", addresses.PaymentURIAmbiguous},
		// github:stellar/stellar-protocol d186cf3, ecosystem/sep-0007.md
		{"SEP-7 lumens", "XLM", "XLM", stellar + "&amount=120.1234567&memo=skdjfasf&memo_type=MEMO_TEXT&msg=pay%20me%20with%20lumens", stellarAddress + " XLM 120.1234567 memo=skdjfasf"},
		{"SEP-7 asset", "XLM", "XLM", stellar + "&amount=120.123&asset_code=USD&asset_issuer=GCRCUE2C5TBNIPYHMEP7NK5RWTT2WBSZ75CMARH7GDOHDDCQH3XANFOB&memo=hasysda987fs&memo_type=MEMO_TEXT&callback=url%3Ahttps%3A%2F%2FsomeSigningService.com%2Fhasysda987fs%3Fasset%3DUSD", addresses.PaymentURIOtherCurrency},
		{"SEP-7 transaction", "XLM", "XLM", "web+stellar:tx?xdr=AAAAAP%2Byw%2BZEuNg533pUmwlYxfrq6%2FBoMJqiJ8vuQhf6rHWmAAAAZAB8NHAAAAABAAAAAAAAAAAAAAABAAAAAAAAAAYAAAABSFVHAAAAAABAH0wIyY3BJBS2qHdRPAV80M8hF7NBpxRjXyjuT9kEbH%2F%2F%2F%2F%2F%2F%2F%2F%2F%2FAAAAAAAAAAA%3D&replace=sourceAccount%3AX%3BX%3Aaccount%20on%20which%20to%20create%20the%20trustline", addresses.PaymentURI},
		{"SEP-7 hash", "XLM", "XLM", stellar + "&memo=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE%3D&memo_type=MEMO_HASH", stellarAddress + " XLM memo=" + strings.Repeat("0", 63) + "1"},
		{"SEP-7 USDC", "USDC", "XLM", stellar + "&asset_code=USDC&asset_issuer=GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN", stellarAddress + " USDC"},
		{"SEP-7 test network", "XLM", "XLM", stellar + "&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015", addresses.PaymentURIOtherNetwork},
		// github:anza-xyz/solana-pay 75c2927, SPEC.md and core/test/parseURL.test.ts
		{"Solana Pay SOL", "SOL", "SOL", solanaPay + "?amount=1&label=Michael&message=Thanks%20for%20all%20the%20fish&memo=OrderId12345", solanaAddress + " SOL 1 memo=OrderId12345 label=Michael"},
		{"Solana Pay USDC", "USDC", "SOL", solanaPay + "?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", solanaAddress + " USDC 0.01"},
		{"Solana Pay without amount", "SOL", "SOL", solanaPay + "?label=Michael", solanaAddress + " SOL label=Michael"},
		{"Solana Pay lamport", "SOL", "SOL", solanaPay + "?amount=0.000000001&reference=82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny&label=Michael&message=Thanks%20for%20all%20the%20fish&memo=OrderId5678", solanaAddress + " SOL 0.000000001 memo=OrderId5678 label=Michael"},
		{"Solana Pay unknown token", "USDC", "SOL", solanaPay + "?amount=1.01&spl-token=82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny", addresses.PaymentURIOtherCurrency},
		{"Solana Pay zero", "SOL", "SOL", solanaPay + "?amount=0", solanaAddress + " SOL 0"},
		{"Solana Pay two references", "SOL", "SOL", solanaPay + "?reference=82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny&reference=82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny", solanaAddress + " SOL"},
		{"Solana Pay recipient", "SOL", "SOL", "solana:0xffff", addresses.BadCharacter},
		{"Solana Pay amount", "SOL", "SOL", solanaPay + "?amount=1milliondollars", addresses.PaymentURIAmount},
		{"Solana Pay amount below one", "SOL", "SOL", solanaPay + "?amount=.5", addresses.PaymentURIAmount},
		{"Solana Pay token", "SOL", "SOL", solanaPay + "?amount=1&spl-token=0xffff", addresses.PaymentURIOtherCurrency},
		{"Solana Pay transaction request", "SOL", "SOL", "solana:https%3A%2F%2Fexample.com%2Fsolana-pay", addresses.PaymentURI},
	})
}

// Links as wallets write them, with the file that writes them.
func TestLinks_Wallets(t *testing.T) {
	t.Parallel()
	const (
		evm, evmChecked = "0xf5d81254c269a1e984044e4d542adc07bf18c541", "0xF5d81254C269A1E984044e4D542ADC07bf18C541"
		dash            = "XwnLY9Tf7Zsef8gMGL2fhWA9ZmMjt4KPwg"
		doge            = "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L"
		litecoin        = "MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441"
	)
	testLinks(t, []linkTest{
		// 1. Electrum: github:spesmilo/electrum 9235780, 2026-08-21, electrum/bip21.py create_bip21_uri
		{"Electrum", "BTC", "BTC", "bitcoin:" + segwitAddress + "?amount=0.5&message=two%20coffees&time=1700000000&exp=3600", segwitAddress + " BTC 0.5"},
		// 2. Sparrow: github:sparrowwallet/drongo b385610, 2026-08-21, uri/BitcoinURI.java toURIString
		{"Sparrow", "BTC", "BTC", "bitcoin:" + segwitAddress + "?label=Luke%20Jr", segwitAddress + " BTC label=Luke Jr"},
		// 3. BlueWallet: github:BlueWallet/BlueWallet 7dc4fc5, 2026-07-23, class/deeplink-schema-match.ts bip21encode
		{"BlueWallet", "BTC", "BTC", "bitcoin:" + strings.ToUpper(segwitAddress) + "?amount=0.0001&label=Lunch", segwitAddress + " BTC 0.0001 label=Lunch"},
		// 4. Dash Core: github:dashpay/dash 084d582, src/qt/guiutil.cpp formatBitcoinURI
		{"Dash Core", "DASH", "DASH", "dash:" + dash + "?amount=1.50000000&label=Shop&message=Order%201&IS=1", dash + " DASH 1.5 label=Shop"},
		// 5. Trezor Suite: github:trezor/trezor-suite 7ce9c0a, 2024-10-25, suite/__fixtures__/protocol.ts, which it reads
		{"Trezor slashes", "BTC", "BTC", "bitcoin://" + bip21Address + "/?amount=0.1", bip21Address + " BTC 0.1"},
		{"Trezor unknown parameter", "BTC", "BTC", "bitcoin:" + bip21Address + "?amount=1&layer=lightning&label=Bender&message=Bite%20my%20shiny%20metal%20Bitcoin", bip21Address + " BTC 1 label=Bender"},
		// 6. Cake: github:cake-tech/cake_wallet 98aa1fd, 2026-01-09, lib/core/payment_uris.dart
		{"Cake payjoin", "BTC", "BTC", "bitcoin:" + segwitAddress + "?amount=0.1&pjos=0&pj=https%3A%2F%2Fexample.com%2Fpj", segwitAddress + " BTC 0.1"},
		{"Cake Litecoin", "LTC", "LTC", "litecoin:" + litecoin + "?amount=2", litecoin + " LTC 2"},
		{"Cake Dogecoin", "DOGE", "DOGE", "doge:" + doge + "?amount=25", doge + " DOGE 25"},
		{"Cake Bitcoin Cash", "BCH", "BCH", "bitcoincash:" + cashAddress + "?amount=0.5", "bitcoincash:" + cashAddress + " BCH 0.5"},
		{"Cake TRON", "TRX", "TRX", "tron:" + tronAddress + "?amount=12.5", tronAddress + " TRX 12.5"},
		{"Cake Solana", "SOL", "SOL", "solana:" + solanaAddress + "?amount=0.25", solanaAddress + " SOL 0.25"},
		{"Cake ether", "ETH", "BASE", "ethereum:" + evm + "@8453?value=1.5e18", evmChecked + " ETH 1.5"},
		{"Cake token, 18 decimals for 6", "USDT", "ETH", "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7/transfer?address=" + evm + "&uint256=1500000000000000000", addresses.PaymentURIAmbiguous},
		{"Cake Polygon", "POL", "MATIC", "polygon:" + evm + "?amount=1", addresses.PaymentURI},
		// 7. Edge: github:EdgeApp/edge-currency-accountbased ef39239, 2026-08-14, test/plugin/fixtures.ts
		{"Edge XRP", "XRP", "XRP", "ripple:rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn?amount=0.000123&label=Johnny%20Ripple&message=Hello%20World,%20I%20miss%20you%20!", "rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn XRP 0.000123 label=Johnny Ripple"},
		{"Edge XRP tag", "XRP", "XRP", "ripple:rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn?dt=123456789", "rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn XRP memo=123456789"},
		{"Edge Stellar", "XLM", "XLM", "web+stellar:pay?destination=GB3C74VK2C2NMUFTBGU7XOP2EHPMCVDEVVBKXWKALXELGUSHJC347YR5&memo=123456789&memo_type=MEMO_ID", "GB3C74VK2C2NMUFTBGU7XOP2EHPMCVDEVVBKXWKALXELGUSHJC347YR5 XLM memo=123456789"},
		{"Edge ether, in whole units", "ETH", "ETH", "ethereum:0x04b6b3bcbc16a5fb6a20301d650f8def513122a8?amount=0.00000012345678", addresses.PaymentURIAmbiguous},
		{"Edge pay-", "ETH", "ETH", "ethereum:pay-" + evm + "@1?value=123", evmChecked + " ETH 0.000000000000000123"},
		// 8. Unstoppable: github:horizontalsystems/unstoppable-wallet-android 12dad62, 2026-06-30, AddressUriService.kt
		{"Unstoppable", "BTC", "BTC", "bitcoin:" + segwitAddress + "?blockchain_uid=bitcoin&amount=0.1", segwitAddress + " BTC 0.1"},
		{"Unstoppable TRX", "TRX", "TRX", "tron:" + tronAddress + "?blockchain_uid=tron&amount=5&token_uid=native", tronAddress + " TRX 5"},
		{"Unstoppable token on TRON", "TRX", "TRX", "tron:" + tronAddress + "?blockchain_uid=tron&amount=5&token_uid=eip20%3A" + tronAddress, addresses.PaymentURIAmbiguous},
		{"Unstoppable ether", "ETH", "ETH", "ethereum:" + evm + "@1?amount=1.5&token_uid=native", addresses.PaymentURIAmbiguous},
		// 9. AlphaWallet: github:AlphaWallet/alpha-wallet-android c873a4a, 2025-04-05, EIP681Request.java
		{"AlphaWallet", "BNB", "BSC", "ethereum:" + evm + "@56?value=1.5E18", evmChecked + " BNB 1.5"},
		{"AlphaWallet token, two question marks", "USDT", "BSC", "ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=" + evm + "?uint256=1.5E18", addresses.PaymentURIAmbiguous},
		// 10. MetaMask: github:MetaMask/metamask-mobile, app/util/payment-link-generator (generateETHLink, generateERC20Link)
		{"MetaMask", "ETH", "ETH", "ethereum:" + evm + "@1?value=1e16", evmChecked + " ETH 0.01"},
		{"MetaMask token", "USDT", "ETH", "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=" + evm + "&uint256=1.5e6", addresses.PaymentURIAmbiguous},
		// 11. Status: github:status-im/status-mobile c62d7d5, 2024-10-24, utils/ethereum/eip/eip681.cljs generate-uri
		{"Status", "ETH", "ETH", "ethereum:" + evm + "?value=10000000000000000", evmChecked + " ETH 0.01"},
		// 12. Xaman: github:XRPL-Labs/xumm-string-decode ae7ab9f, 2025-05-18, test/XrplDestination.json, which it reads
		{"Xaman", "XRP", "XRP", "ripple:rPdvC6ccq8hCdPKSPJkPmyZ4Mi1oG2FFkT", "rPdvC6ccq8hCdPKSPJkPmyZ4Mi1oG2FFkT XRP"},
		{"Xaman, a tag that Edge ignores", "XRP", "XRP", "ripple:rPdvC6ccq8hCdPKSPJkPmyZ4Mi1oG2FFkT?tag=123", addresses.PaymentURIAmbiguous},
		{"Xaman, a tag after a colon", "XRP", "XRP", "ripple:rPdvC6ccq8hCdPKSPJkPmyZ4Mi1oG2FFkT:123", addresses.PaymentURIMalformed},
	})
}

func TestLinks_BadInput(t *testing.T) {
	t.Parallel()
	const (
		bitcoin  = "bitcoin:" + segwitAddress
		ethereum = "ethereum:" + evmAddress
	)
	testLinks(t, []linkTest{
		{"comma", "BTC", "BTC", bitcoin + "?amount=50,000.00", addresses.PaymentURIAmount},
		{"decimal comma", "BTC", "BTC", bitcoin + "?amount=0,5", addresses.PaymentURIAmount},
		{"exponent", "BTC", "BTC", bitcoin + "?amount=1e3", addresses.PaymentURIAmount},
		{"Electrum's exponent", "BTC", "BTC", bitcoin + "?amount=20.3X8", addresses.PaymentURIAmount},
		{"sign", "BTC", "BTC", bitcoin + "?amount=-1", addresses.PaymentURIAmount},
		{"nothing", "BTC", "BTC", bitcoin + "?amount=", addresses.PaymentURIAmount},
		{"point", "BTC", "BTC", bitcoin + "?amount=.", addresses.PaymentURIAmount},
		{"zero", "BTC", "BTC", bitcoin + "?amount=0", addresses.PaymentURIAmount},
		{"two points", "BTC", "BTC", bitcoin + "?amount=1.2.3", addresses.PaymentURIAmount},
		{"other digits", "BTC", "BTC", bitcoin + "?amount=%D9%A1", addresses.PaymentURIAmount},
		{"nine decimals", "BTC", "BTC", bitcoin + "?amount=0.000000001", addresses.PaymentURIAmount},
		{"eight decimals", "BTC", "BTC", bitcoin + "?amount=0.00000001", segwitAddress + " BTC 0.00000001"},
		{"point first", "BTC", "BTC", bitcoin + "?amount=.5", segwitAddress + " BTC 0.5"},
		{"point last", "BTC", "BTC", bitcoin + "?amount=50.", segwitAddress + " BTC 50"},
		{"79 digits", "BTC", "BTC", bitcoin + "?amount=" + strings.Repeat("9", 79), addresses.PaymentURIAmount},
		{"a fraction of a wei", "ETH", "ETH", ethereum + "@1?value=0.5", addresses.PaymentURIAmount},
		{"a huge exponent", "ETH", "ETH", ethereum + "@1?value=1e999999999", addresses.PaymentURIAmount},
		{"a negative exponent", "ETH", "ETH", ethereum + "@1?value=1e-5", addresses.PaymentURIAmount},
		{"hexadecimal", "ETH", "ETH", ethereum + "@1?value=0x1", addresses.PaymentURIAmount},
		{"amount twice", "BTC", "BTC", bitcoin + "?amount=1&amount=2", addresses.PaymentURIMalformed},
		{"label twice", "BTC", "BTC", bitcoin + "?label=a&LABEL=a", addresses.PaymentURIMalformed},
		{"percent-encoding cut off", "BTC", "BTC", bitcoin + "?label=a%2", addresses.PaymentURIMalformed},
		{"percent-encoding of nothing", "BTC", "BTC", bitcoin + "?label=%zz", addresses.PaymentURIMalformed},
		{"invalid UTF-8", "BTC", "BTC", bitcoin + "?label=%ff", addresses.PaymentURIMalformed},
		{"control character", "BTC", "BTC", bitcoin + "?label=a%00b", addresses.PaymentURIMalformed},
		{"encoded name", "BTC", "BTC", bitcoin + "?am%6Funt=1", addresses.PaymentURIMalformed},
		{"encoded address", "BTC", "BTC", "bitcoin:%62" + segwitAddress[1:], addresses.PaymentURIMalformed},
		{"encoded label", "BTC", "BTC", bitcoin + "?label=%C3%81da%20%26%20Obi", segwitAddress + " BTC label=Áda & Obi"},
		{"fragment", "BTC", "BTC", bitcoin + "?amount=1#x", addresses.PaymentURIMalformed},
		{"two question marks", "BTC", "BTC", bitcoin + "?amount=1?label=a", addresses.PaymentURIMalformed},
		{"empty query", "BTC", "BTC", bitcoin + "?", segwitAddress + " BTC"},
		{"empty parameters", "BTC", "BTC", bitcoin + "?&&amount=1&", segwitAddress + " BTC 1"},
		{"no address", "BTC", "BTC", "bitcoin:?amount=1", addresses.PaymentURINoAddress},
		{"nothing at all", "BTC", "BTC", "bitcoin:", addresses.PaymentURINoAddress},
		{"link in a link", "BTC", "BTC", "bitcoin:bitcoin:" + segwitAddress, addresses.PaymentURIMalformed},
		{"512 bytes", "BTC", "BTC", bitcoin + "?message=" + strings.Repeat("a", 512-len(bitcoin+"?message=")), segwitAddress + " BTC"},
		{"513 bytes", "BTC", "BTC", bitcoin + "?message=" + strings.Repeat("a", 513-len(bitcoin+"?message=")), addresses.PaymentURIMalformed},
		{"4 KB", "BTC", "BTC", bitcoin + "?message=" + strings.Repeat("a", 4096), addresses.PaymentURIMalformed},
		{"space", "BTC", "BTC", bitcoin + "?label=Luke Jr", addresses.Whitespace},
		{"not ASCII", "BTC", "BTC", bitcoin + "?label=Ádá", addresses.NotASCII},
		{"another address in the query", "BTC", "BTC", bitcoin + "?address=" + bip21Address, addresses.PaymentURIAmbiguous},
		{"Bitcoin SV", "BTC", "BTC", "bitcoin:" + bip21Address + "?sv&amount=1", addresses.PaymentURIAmbiguous},
		{"another scheme", "LTC", "LTC", bitcoin, addresses.PaymentURIOtherNetwork},
		{"another chain", "ETH", "ETH", ethereum + "@56", addresses.PaymentURIOtherNetwork},
		{"no chain, on another network", "BNB", "BSC", ethereum, addresses.PaymentURIOtherNetwork},
		{"unknown chain", "ETH", "ETH", ethereum + "@999999", addresses.PaymentURIOtherNetwork},
		{"hexadecimal chain", "ETH", "ETH", ethereum + "@0x1", addresses.PaymentURIAmbiguous},
		{"empty chain", "ETH", "ETH", ethereum + "@", addresses.PaymentURIAmbiguous},
		{"coin for a token", "USDT", "BSC", ethereum + "@56", addresses.PaymentURIOtherCurrency},
		{"coin for a token of TRON", "USDT", "TRX", "tron:" + tronAddress, addresses.PaymentURIOtherCurrency},
		{"coin for a token of Solana", "USDC", "SOL", "solana:" + solanaAddress, addresses.PaymentURIOtherCurrency},
		{"token for the coin of Solana", "SOL", "SOL", "solana:" + solanaAddress + "?spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", addresses.PaymentURIOtherCurrency},
		{"ENS name", "ETH", "ETH", "ethereum:vitalik.eth@1", addresses.NameNotAddress},
		{"approval", "ETH", "ETH", ethereum + "@1/approve?address=" + evmAddress + "&uint256=1", addresses.PaymentURIAmbiguous},
		{"upper case of Ethereum", "ETH", "ETH", strings.ToUpper(ethereum), addresses.BadEncoding},
		{"upper-case name of Ethereum", "ETH", "ETH", ethereum + "?VALUE=1e18", addresses.PaymentURIAmbiguous},
		{"typing mistake inside", "BTC", "BTC", bitcoin[:len(bitcoin)-1] + "5?amount=1", addresses.BadChecksum},
		{"address of another network inside", "BTC", "BTC", "bitcoin:" + evmAddress, addresses.WrongNetwork},
		{"test network", "BTC", "BTC", "bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", addresses.WrongEnvironment},
		{"tag too large", "XRP", "XRP", "ripple:" + rippleAddress + "?dt=4294967296", addresses.MemoOutOfRange},
		{"plus sign in a memo", "SOL", "SOL", "solana:" + solanaAddress + "?memo=a+b", addresses.PaymentURIAmbiguous},
		{"memo of an unknown kind", "XLM", "XLM", "web+stellar:pay?destination=" + stellarAddress + "&memo=1", addresses.PaymentURIAmbiguous},
		{"Lightning invoice", "BTC", "BTC", "lightning:lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg", addresses.LightningInvoice},
		{"LNURL", "BTC", "BTC", "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS", addresses.LightningInvoice},
		{"Lightning address", "BTC", "BTC", "ada@example.com", addresses.LightningInvoice},
		{"nothing of Bitcoin", "BTC", "BTC", "bitcoin:nonsense", addresses.BadLength},
		{"cashaddr with its prefix, which is no link", "BTC", "BTC", "bitcoincash:" + cashAddress, addresses.WrongNetwork},
		{"a scheme that is not read", "ADA", "ADA", "web+cardano:addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8?amount=1", addresses.PaymentURI},
		{"secret for an address", "BTC", "BTC", "bitcoin:" + privateKey, addresses.SecretKey},
		{"secret phrase in the label", "BTC", "BTC", bitcoin + "?label=" + strings.ReplaceAll(twelveWords, " ", "%20"), addresses.SecretKey},
		{"secret phrase in a name", "BTC", "BTC", bitcoin + "?" + strings.ReplaceAll(twelveWords, " ", "%20") + "=1", addresses.SecretKey},
		{"secret phrase, joined", "BTC", "BTC", bitcoin + "?label=" + strings.ReplaceAll(twelveWords, " ", "+"), addresses.SecretKey},
		{"secret phrase, badly encoded", "BTC", "BTC", bitcoin + "?label=" + strings.ReplaceAll(twelveWords, " ", "%20") + "%", addresses.SecretKey},
		{"encoded secret", "BTC", "BTC", bitcoin + "?label=%35" + privateKey[1:], addresses.SecretKey},
	})
}

// A secret in a link is neither in the verdict nor in its message.
func TestLinks_Secrets(t *testing.T) {
	t.Parallel()
	s := linkService(t)
	words := strings.ReplaceAll(twelveWords, " ", "%20")
	for _, text := range []string{
		"bitcoin:" + privateKey + "?amount=1", "bitcoin:" + segwitAddress + "?label=" + words, "bitcoin:" + words,
		"bitcoin:" + segwitAddress + "?req-x=" + words, "bitcoin:" + segwitAddress + "?req-" + privateKey + "=1",
		"ethereum:" + evmAddress + "@" + privateKey, "ethereum:" + evmAddress + "/" + words + "?a=1",
		"ethereum:" + evmAddress + "@1/%35" + privateKey[1:],
	} {
		v, err := s.Validate(core.AddressQuery{Currency: map[byte]string{'b': "BTC", 'e': "ETH"}[text[0]], Address: core.Private(text)})
		shown, _ := json.Marshal(struct {
			core.Verdict
			Plain string
		}{v, v.Address.Reveal()})
		if err != nil || v.Valid || v.Address != "****" || strings.Contains(string(shown), privateKey[1:]) || strings.Contains(string(shown), "abandon") {
			t.Errorf("%s: got %s, %v", text, shown, err)
		}
	}
}

func TestLinks_Memo(t *testing.T) {
	t.Parallel()
	s := linkService(t)
	same, other := "123", "124"
	for _, c := range []struct {
		name   string
		memo   *string
		reason string
	}{{"none", nil, ""}, {"the same", &same, ""}, {"another", &other, addresses.MemoConflict}} {
		v, err := s.Validate(core.AddressQuery{Currency: "XRP", Memo: c.memo, Address: "ripple:" + rippleAddress + "?dt=123"})
		if err != nil || v.Reason != c.reason || c.reason == "" && *v.Memo != same {
			t.Errorf("%s: got %+v, %v", c.name, v, err)
		}
	}
}

// What is written is read again, to the same payment.
func TestFormatPaymentURI(t *testing.T) {
	t.Parallel()
	s := linkService(t)
	for _, c := range []struct{ currency, network, address, amount, memo, want string }{
		{"BTC", "BTC", segwitAddress, "0.1", "", "bitcoin:" + segwitAddress + "?amount=0.1"},
		{"BTC", "BTC", segwitAddress, "", "", "bitcoin:" + segwitAddress},
		{"BCH", "BCH", "bitcoincash:" + cashAddress, "1", "", "bitcoincash:" + cashAddress + "?amount=1"},
		{"ETH", "ETH", evmAddress, "", "", "ethereum:" + evmAddress + "@1"},
		{"ETH", "BASE", evmAddress, "1.5", "", "ethereum:" + evmAddress + "@8453?value=1500000000000000000"},
		{"BNB", "BSC", evmAddress, "0.000000000000000001", "", "ethereum:" + evmAddress + "@56?value=1"},
		{"XRP", "XRP", rippleAddress, "10", "0", "ripple:" + rippleAddress + "?amount=10&dt=0"},
		{"XLM", "XLM", stellarAddress, "1.0000001", "7", "web+stellar:pay?destination=" + stellarAddress + "&amount=1.0000001&memo=7&memo_type=MEMO_ID"},
		{"XLM", "XLM", stellarAddress, "", "a b+c", "web+stellar:pay?destination=" + stellarAddress + "&memo=a%20b%2Bc&memo_type=MEMO_TEXT"},
		{"USDC", "XLM", stellarAddress, "2", "", "web+stellar:pay?destination=" + stellarAddress + "&amount=2&asset_code=USDC&asset_issuer=GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"},
		{"TRX", "TRX", tronAddress, "3", "", "tron:" + tronAddress + "?amount=3"},
		{"SOL", "SOL", solanaAddress, "0.5", "", "solana:" + solanaAddress + "?amount=0.5"},
		{"USDC", "SOL", solanaAddress, "0.01", "", "solana:" + solanaAddress + "?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"},
		{"USDT", "BSC", evmAddress, "", "", ""}, // wallets differ
		{"USDT", "TRX", tronAddress, "", "", ""},
		{"TON", "TON", "UQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorhqg", "", "1", ""}, // no row
		{"BTC", "BTC", segwitAddress, "", "1", ""},                                      // no memo
	} {
		p := core.Payment{Address: core.Private(c.address), Network: c.network, Currency: c.currency, Memo: core.Private(c.memo)}
		if c.amount != "" {
			amount := decimal.RequireFromString(c.amount)
			p.Amount = &amount
		}
		link, ok := addresses.FormatPaymentURI(p)
		if link != c.want || ok != (c.want != "") {
			t.Errorf("%s on %s: got %q, %v, want %q", c.currency, c.network, link, ok, c.want)
		}
		if !ok {
			continue
		}
		v, err := s.Validate(core.AddressQuery{Currency: c.currency, Network: c.network, Address: core.Private(link)})
		if err != nil || !v.Valid || v.Payment.Address.Reveal() != c.address || v.Payment.Memo != p.Memo ||
			(p.Amount == nil) != (v.Payment.Amount == nil) || p.Amount != nil && !p.Amount.Equal(*v.Payment.Amount) {
			t.Errorf("%s: read again %+v %v, %v", link, v, v.Payment, err)
		}
	}
}

func TestLinkAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, currency, text, want string }{
		{"BTC", "BTC", "0.10", "0.1"},
		{"BTC", "BTC", "21000000", "21000000"},
		{"ETH", "ETH", "0.000000000000000001", "0.000000000000000001"},
		{"BTC", "BTC", "0.000000001", "decimals"},
		{"BTC", "BTC", "0", "above zero"},
		{"BTC", "BTC", "-1", "above zero"},
		{"BTC", "BTC", "1e3", "above zero"},
		{"BTC", "BTC", "1,5", "above zero"},
		{"BTC", "BTC", ".5", "above zero"},
		{"BTC", "BTC", " 1", "above zero"},
		{"BTC", "BTC", strings.Repeat("9", 100), "above zero"},
		{"BSC", "USDT", "1", "leave it out"},
		{"SOL", "USDC", "0.0000001", "decimals"},
	} {
		amount, err := addresses.LinkAmount(c.network, c.currency, c.text)
		if err == nil && amount.String() != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %s, %s: got %s, %v, want %s", c.currency, c.network, c.text, amount, err, c.want)
		}
	}
}

// Every row has a source, is of a network of the registry, and gives a link.
func TestLinkTable(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, n := range addresses.Registry() {
		known[n.Code] = true
	}
	for _, row := range addresses.LinkTable() {
		if row.Source == "" || !known[row.Network] || row.Scheme != strings.ToLower(row.Scheme) {
			t.Errorf("%+v", row)
		}
		if _, ok := addresses.FormatPaymentURI(core.Payment{Network: row.Network, Currency: row.Currency}); !ok {
			t.Errorf("%s on %s has no link", row.Currency, row.Network)
		}
	}
}

// FuzzLinks: no text of a client breaks the reading of links, and a link that is read is read the same once more.
func FuzzLinks(f *testing.F) {
	for _, text := range []string{"bitcoin:" + segwitAddress + "?amount=1&label=%41", "ethereum:" + evmAddress + "@1?value=1e18", "web+stellar:pay?destination=" + stellarAddress + "&memo=1&memo_type=MEMO_ID", "solana:" + solanaAddress + "?spl-token=a", "ripple:" + rippleAddress + "?dt=1"} {
		f.Add(text)
	}
	s := linkService(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, currency := range []string{"BTC", "ETH", "XLM", "SOL", "XRP", "TRX"} {
			v, err := s.Validate(core.AddressQuery{Currency: currency, Address: core.Private(text)})
			if err != nil || v.Valid != (v.Reason == "") {
				t.Fatalf("%q: %+v, %v", text, v, err)
			}
			if v.Payment == nil || !v.Valid {
				continue
			}
			again, ok := addresses.FormatPaymentURI(*v.Payment)
			if !ok || v.Payment.Amount != nil && v.Payment.Amount.IsZero() {
				continue // a memo in a form without one
			}
			w, err := s.Validate(core.AddressQuery{Currency: currency, Address: core.Private(again)})
			if err != nil || !w.Valid || w.Normalized != v.Normalized {
				t.Fatalf("%q, written %q: %+v, %v", text, again, w, err)
			}
		}
	})
}
