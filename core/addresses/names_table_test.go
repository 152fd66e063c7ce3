package addresses_test

// codeOf maps the names of networks in testdata/cases.jsonl to our codes. Source: the cases' own list, 2026-11.
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
