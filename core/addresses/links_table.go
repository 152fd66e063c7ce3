package addresses

import "slices"

// linkForm is how the links of a scheme are written.
type linkForm struct {
	amount, memo, label string // names of parameters; empty: there is none
	folded              bool   // the case of names does not matter
	loose               bool   // an amount may begin or end with its point
	zero                bool   // an amount may be zero
	repeated            string // a parameter that may occur more than once
	// contested are the parameters that wallets read differently, with the value that changes nothing.
	contested map[string]string
	find      func(*link) *linkFault // finds the address, the chain and the token
}

// bip21 is the form of BIP-21, with the names in any case of BIP-321, which replaces it.
//
// Contested: Cake reads address= and tx_amount= before the path and amount= (payment_request.dart).
// sv marks links of Bitcoin SV (bitsent/bitUriParser, examples.md). Unstoppable writes the token of a
// link in token_uid (AddressUri.kt), which others ignore. Electrum, Sparrow and Trezor differ on
// amounts with a comma or an exponent, and on repeated names, which are refused for all forms.
var bip21 = &linkForm{
	amount: "amount", label: "label", folded: true, loose: true,
	contested: map[string]string{"address": "", "tx_amount": "", "sv": "", "token_uid": "native"}, find: (*link).inPath,
}

// erc681 is the part of ERC-681 that wallets read the same way: a payment of the coin of a chain.
//
// Contested: a transfer of a token. MyEtherWallet pays to the contract of the token
// (MyEtherWallet/MyEtherWallet issues 3056 and 5185, 2025-08), and so does Unstoppable, which ignores
// /transfer?address= (AddressUriParser.kt). AlphaWallet writes a second question mark, so that
// address= ends in "?uint256=…" (EIP681Request.java). Cake counts tokens of 6 decimals with 18
// (payment_uris.dart). MetaMask took atomic units for whole tokens (MetaMask/metamask-mobile issue
// 1549). OneKey filled in value= instead of uint256= (OneKeyHQ/app-monorepo pull 11869, 2026-06).
// Edge, Cake and Unstoppable read amount= as ether, MetaMask, AlphaWallet and OneKey ignore it.
var erc681 = &linkForm{
	amount: "value", contested: map[string]string{"address": "", "uint256": "", "amount": "", "data": ""},
	find: (*link).inEthereum,
}

// ripple is the form on which Edge (RippleTools.ts) and Xaman (XRPL-Labs/xumm-string-decode) agree.
// There is no standard: XLS-2d and XLS-32d are proposals.
//
// Contested: Xaman reads the tag from four names and a currency, Edge the tag from dt alone.
var ripple = &linkForm{
	amount: "amount", memo: "dt", label: "label",
	contested: map[string]string{
		"tag": "", "dtag": "", "destinationtag": "", "currency": "XRP", "iou": "", "issuer": "", "network": "", "to": "",
	},
	find: (*link).inPath,
}

// sep7 is the operation pay of SEP-7.
var sep7 = &linkForm{amount: "amount", memo: "memo", find: (*link).inStellar}

// solanaPay is a transfer request of Solana Pay.
var solanaPay = &linkForm{
	amount: "amount", memo: "memo", label: "label", zero: true, repeated: "reference", find: (*link).inSolana,
}

// linkRow is a row of the table of payment links: a scheme on a network.
type linkRow struct {
	scheme   string // as links are written; wallets also write the other ones
	others   []string
	form     *linkForm
	network  string
	chain    string   // chain ID of EIP-155
	coins    []string // currencies of the coin of the network
	decimals int32    // of the coin
	source   string   // where the form is specified, or the wallets that agree on it
}

const (
	bipsSource   = "BIP-21 and BIP-321 (github:bitcoin/bips 7fe0b03, 2026-08-20)"
	chainsSource = "ERC-681 (github:ethereum/ERCs 9c718c7, 2026-08-22); chain ID: ethereum-lists/chains, 2026-11"
	tronSource   = "no standard; Cake TronURI (github:cake-tech/cake_wallet 98aa1fd, 2026-01-09), Edge TronTools.ts " +
		"(github:EdgeApp/edge-currency-accountbased ef39239, 2026-08-14), Unstoppable AddressUriParser.kt " +
		"(github:horizontalsystems/unstoppable-wallet-android 12dad62, 2026-06-30)"
	rippleSource = "no standard; Xaman (github:XRPL-Labs/xumm-string-decode ae7ab9f, 2025-05-18), Edge RippleTools.ts " +
		"(github:EdgeApp/edge-currency-accountbased ef39239, 2026-08-14)"
	stellarSource = "SEP-7 (github:stellar/stellar-protocol d186cf3, 2026-08-20)"
	solanaSource  = "Solana Pay, SPEC.md (github:anza-xyz/solana-pay 75c2927, 2024-11-07)"
	circleSource  = "developers.circle.com, USDC contract addresses, 2026-11"
	dashSource    = "; Dash Core guiutil.cpp (github:dashpay/dash 084d582)"
	trezorSource  = "; Trezor protocol.ts (github:trezor/trezor-suite 7ce9c0a, 2024-10-25)"
)

// linkRows is the table of payment links. The sources were read on 2026-11-24.
var linkRows = []linkRow{
	{"bitcoin", nil, bip21, "BTC", "", coins("BTC"), 8, bipsSource},
	{"litecoin", nil, bip21, "LTC", "", coins("LTC"), 8, bipsSource + trezorSource},
	{"dogecoin", []string{"doge"}, bip21, "DOGE", "", coins("DOGE"), 8, bipsSource + trezorSource + "; Cake writes doge"},
	{"dash", nil, bip21, "DASH", "", coins("DASH"), 8, bipsSource + dashSource},
	{"bitcoincash", nil, bip21, "BCH", "", coins("BCH"), 8, bipsSource + trezorSource},
	{"ethereum", nil, erc681, "ETH", "1", coins("ETH"), 18, chainsSource},
	{"ethereum", nil, erc681, "BSC", "56", coins("BNB"), 18, chainsSource},
	{"ethereum", nil, erc681, "MATIC", "137", coins("POL", "MATIC"), 18, chainsSource},
	{"ethereum", nil, erc681, "ARBITRUM", "42161", coins("ETH"), 18, chainsSource},
	{"ethereum", nil, erc681, "OPTIMISM", "10", coins("ETH"), 18, chainsSource},
	{"ethereum", nil, erc681, "BASE", "8453", coins("ETH"), 18, chainsSource},
	{"ethereum", nil, erc681, "AVAXC", "43114", coins("AVAX"), 18, chainsSource},
	{"ethereum", nil, erc681, "LINEA", "59144", coins("ETH"), 18, chainsSource},
	{"ethereum", nil, erc681, "CELO", "42220", coins("CELO"), 18, chainsSource},
	{"ethereum", nil, erc681, "ETC", "61", coins("ETC"), 18, chainsSource},
	{"ethereum", nil, erc681, "S", "146", coins("S"), 18, chainsSource},
	{"ethereum", nil, erc681, "FTM", "250", coins("FTM"), 18, chainsSource},
	{"ethereum", nil, erc681, "HYPE", "999", coins("HYPE"), 18, chainsSource},
	{"ripple", []string{"xrp", "xrpl"}, ripple, "XRP", "", coins("XRP"), 6, rippleSource},
	{"web+stellar", nil, sep7, "XLM", "", coins("XLM"), 7, stellarSource},
	{"tron", nil, bip21, "TRX", "", coins("TRX"), 6, tronSource},
	{"solana", nil, solanaPay, "SOL", "", coins("SOL"), 9, solanaSource},
}

func coins(codes ...string) []string { return codes }

// linkToken is a token that links of its network can name.
type linkToken struct {
	network, currency, id string
	decimals              int32
	source                string
}

// linkTokens are the tokens that links name in a way of their standard. Tokens of other networks have
// no link that wallets read the same way.
var linkTokens = []linkToken{
	{"SOL", "USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", 6, circleSource},
	{"SOL", "USDT", "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB", 6, "solana.com/docs, 2026-11"},
	{"XLM", "USDC", "USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN", 7, circleSource},
}

// otherSchemes are schemes of payment links that are known, but not read: they have no standard, or none that
// wallets read the same way. 2026-11.
var otherSchemes = set(
	"lightning", "bitcoinsv", "bitcoingold", "ecash", "zcash", "digibyte", "groestlcoin", "vertcoin", "ravencoin", "qtum",
	"decred", "monero", "ethereum-classic", "bnb", "polygon", "stellar", "ton", "tonkeeper", "cardano",
	"web+cardano", "cosmos", "near", "algorand", "tezos", "nano", "hedera", "filecoin", "aptos", "sui", "kaspa", "stacks",
	"nimiq", "waves", "neo", "iota", "nervos", "substrate", "polkadot",
)

// linkSchemes are the rows by every name of their scheme.
var linkSchemes = func() map[string][]*linkRow {
	index := map[string][]*linkRow{}
	for i := range linkRows {
		row := &linkRows[i]
		for _, name := range append([]string{row.scheme}, row.others...) {
			index[name] = append(index[name], row)
		}
	}
	return index
}()

// linkFor returns the row, and the token if it is one, in which a link asks for a currency on a network.
func linkFor(network, currency string) (row *linkRow, token *linkToken) {
	for i := range linkRows {
		if linkRows[i].network == network {
			row = &linkRows[i]
		}
	}
	if row == nil || slices.Contains(row.coins, currency) {
		return row, nil
	}
	for i := range linkTokens {
		if linkTokens[i].network == network && linkTokens[i].currency == currency {
			return row, &linkTokens[i]
		}
	}
	return nil, nil
}
