package differential_test

// allSubjects are the networks with what their standards say of versions, prefixes and lengths, written down apart from the
// registry of core/addresses. Sources: SLIP-44's and SLIP-173's lists, the coins' chain parameters, CIP-19, XLS-5, 2026-11.
func allSubjects() []subject {
	return []subject{
		bitcoin(),
		coin("LTC", []prefix{{"ltc", false}, {"tltc", true}},
			version{"30", 20, false}, version{"32", 20, false}, version{"05", 20, false}, version{"6f", 20, true}, version{"3a", 20, true}, version{"c4", 20, true}),
		coin("DGB", []prefix{{"dgb", false}, {"dgbt", true}},
			version{"1e", 20, false}, version{"3f", 20, false}, version{"7e", 20, true}, version{"8c", 20, true}),
		check58Network("DOGE", version{"1e", 20, false}, version{"16", 20, false}, version{"71", 20, true}, version{"c4", 20, true}),
		check58Network("DASH", version{"4c", 20, false}, version{"10", 20, false}, version{"8c", 20, true}, version{"13", 20, true}),
		check58Network("RVN", version{"3c", 20, false}, version{"7a", 20, false}, version{"6f", 20, true}, version{"c4", 20, true}),
		check58Network("TRX", version{"41", 20, false}),
		check58Network("NEO", version{"35", 20, false}),
		check58Network("XTZ", version{"06a19f", 20, false}, version{"06a1a1", 20, false}, version{"06a1a4", 20, false}, version{"06a1a6", 20, false}, version{"025a79", 20, false}),
		ripple(),
		account32("ATOM", false, []prefix{{"cosmos", false}}, 20, 32),
		account32("OSMO", false, []prefix{{"osmo", false}}, 20, 32),
		account32("EGLD", false, []prefix{{"erd", false}}, 32),
		account32("XCH", true, []prefix{{"xch", false}, {"txch", true}}, 32),
		cardano(),
		ethereum("ETH"),
		ethereum("BSC"),
	}
}
