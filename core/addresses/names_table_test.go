package addresses_test

// codeOf maps the names of networks in testdata/cases.jsonl to our codes. Source: the cases' own
// list, 2026-11.
var codeOf = map[string]string{
	"acala": "ACA", "aeternity": "AE", "agoric": "BLD", "aion": "AION", "akash": "AKT", "algorand": "ALGO",
	"aptos": "APT", "arbitrum": "ARBITRUM", "arweave": "AR", "astar": "ASTR", "avalanche-c": "AVAXC",
	"avalanche-p": "AVAXP", "avalanche-x": "AVAXX", "axelar": "AXL", "babylon": "BABY", "band": "BAND",
	"base": "BASE", "bitcoin": "BTC", "bitcoin-cash": "BCH", "bitcoin-gold": "BTG", "bitcoin-sv": "BSV",
	"bittensor": "TAO", "bnb-beacon": "BNBBEACON", "bsc": "BSC", "cardano": "ADA", "casper": "CSPR",
	"celestia": "TIA", "celo": "CELO", "centrifuge": "CFG", "chia": "XCH", "conflux": "CFX", "coreum": "COREUM",
	"cosmoshub": "ATOM", "cronos-pos": "CRO", "dash": "DASH", "decred": "DCR", "digibyte": "DGB",
	"dogecoin": "DOGE", "dydx": "DYDX", "dymension": "DYM", "ecash": "XEC", "eos": "EOS", "ergo": "ERG",
	"ethereum": "ETH", "ethereum-classic": "ETC", "evmos": "EVMOS", "fantom": "FTM", "fetch": "FET",
	"filecoin": "FIL", "firo": "FIRO", "flow": "FLOW", "flux": "FLUX", "harmony": "ONE", "hedera": "HBAR",
	"horizen": "ZEN", "hydration": "HDX", "hyperevm": "HYPE", "icon": "ICX", "icp": "ICP", "initia": "INIT",
	"injective": "INJ", "iota": "IOTA", "iotex": "IOTX", "juno": "JUNO", "kaspa": "KAS", "kava": "KAVA",
	"komodo": "KMD", "kusama": "KSM", "linea": "LINEA", "litecoin": "LTC", "mayachain": "CACAO", "mina": "MINA",
	"monacoin": "MONA", "monero": "XMR", "multiversx": "EGLD", "namecoin": "NMC", "nano": "XNO", "near": "NEAR",
	"nem": "XEM", "neo": "NEOLEGACY", "neo3": "NEO", "nervos": "CKB", "neutron": "NTRN", "nimiq": "NIM",
	"noble": "NOBLE", "oasis": "ROSE", "ontology": "ONT", "optimism": "OPTIMISM", "osmosis": "OSMO",
	"peercoin": "PPC", "persistence": "XPRT", "pivx": "PIVX", "polkadot": "DOT", "polygon": "MATIC",
	"polymesh": "POLYX", "qtum": "QTUM", "ravencoin": "RVN", "ripple": "XRP", "ronin": "RON",
	"rootstock": "RBTC", "secret": "SCRT", "sei": "SEI", "sia": "SC", "solana": "SOL", "sonic": "S",
	"stacks": "STX", "stargaze": "STARS", "starknet": "STRK", "stellar": "XLM", "stride": "STRD", "sui": "SUI",
	"symbol": "XYM", "syscoin": "SYS", "terra": "LUNA", "tezos": "XTZ", "theta": "THETA", "thorchain": "RUNE",
	"ton": "TON", "tron": "TRX", "vechain": "VET", "verge": "XVG", "vertcoin": "VTC", "viacoin": "VIA",
	"waves": "WAVES", "wax": "WAXP", "xdc": "XDC", "zcash": "ZEC", "zeitgeist": "ZTG", "zetachain": "ZETA",
	"zilliqa": "ZIL",
}

// limits are the checksums that are neither a four-byte hash nor bech32, nor the case of letters.
var limits = map[string]string{
	"XLM": "1 in 2^16 (CRC-16)", "TON": "1 in 2^16 (CRC-16)",
	"DOT": "1 in 2^16", "KSM": "1 in 2^16", "TAO": "1 in 2^16", "POLYX": "1 in 2^16", "ACA": "1 in 2^16",
	"ASTR": "1 in 2^16", "CFG": "1 in 2^16", "HDX": "1 in 2^16", "ZTG": "1 in 2^16",
	"AVAXX": "1 in 2^30; none of up to 4 substitutions", "AVAXP": "1 in 2^30; none of up to 4 substitutions",
	"BCH": "1 in 2^40; legacy 2^32", "XEC": "1 in 2^40; legacy 2^32", "KAS": "1 in 2^40", "CFX": "1 in 2^40", "XNO": "1 in 2^40",
	"XYM": "1 in 2^24", "SC": "1 in 2^48", "HBAR": "1 in 26^5 (HIP-15)", "NIM": "1 in 97 where the length changes",
	"CSPR": "1 in 2^letters, about 24 letters", "ICP": "1 in 2^32 (CRC-32)",
	"ZEC": "1 in 2^32 (base58), 2^30 (bech32)", "ADA": "1 in 2^30; Byron 2^32 (CRC-32)", "LTC": "1 in 2^30; base58 2^32",
}
