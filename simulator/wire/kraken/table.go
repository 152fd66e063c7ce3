package kraken

// krakenNames are the assets that Kraken calls by another ticker.
var krakenNames = map[string]string{"BTC": "XBT", "DOGE": "XDG"}

// krakenOld are the assets of Kraken's first years, which have a letter in front in canonical names. Newer assets
// are plain: SOL, USDT, USDC.
var krakenOld = map[string]string{
	"XBT": "XXBT", "ETH": "XETH", "LTC": "XLTC", "XRP": "XXRP", "XLM": "XXLM", "ETC": "XETC", "XDG": "XXDG",
	"USD": "ZUSD", "EUR": "ZEUR", "GBP": "ZGBP",
}

// krakenKeys are the canonical names that no rule gives: books of old assets that were opened late.
var krakenKeys = map[string]string{
	"XDGUSD": "XDGUSD", "XDGEUR": "XDGEUR", "XDGGBP": "XDGGBP", "LTCGBP": "LTCGBP", "XRPGBP": "XRPGBP", "XLMGBP": "XLMGBP",
	"EURGBP": "EURGBP", "USDTUSD": "USDTZUSD",
}
