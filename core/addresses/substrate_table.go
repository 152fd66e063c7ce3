package addresses

import (
	"strconv"

	"causeway/core"
)

// substrateRows are the networks of the Polkadot family. Source of the prefixes:
// github.com/paritytech/ss58-registry. Test networks use the prefix of the main one, or 42.
var substrateRows = []network{
	substrate("DOT", "Polkadot", "POLKADOT", 0, "1yCsRhE6YPwqhWK2bqMHbsnXaFYVh4SeHmLr8SueBRqY8Jw"),
	substrate("KSM", "Kusama", "KUSAMA", 2, "DYXPQn2s89Q9pKEqfbQ3QQdpYY8c4KV2Asc5VjWZtcp6ouN"),
	substrate("TAO", "Bittensor", "BITTENSOR", 42, "5D2uj6SAEm8UQAVo4xnM9T3dfxFtoPWJZo2rgqTZ66QKMoWW"),
	substrate("POLYX", "Polymesh", "POLYMESH", 12, "2DR7yLC4i2tfiQMstzPdpR4tHPy59tcguaQvELAXCSZgv6sD"),
	substrate("ACA", "Acala", "ACALA", 10, "21qoTM7FwT9DQHYx5vdb4cY2zRgV3XMeXhJezxsvGjNiMcZ5"),
	substrate("ASTR", "Astar", "ASTAR", 5, "WuWAPQF1zmaczXdZGEUB7Cukzy1mcD3azXzvYfQxTQGwokf"),
	substrate("CFG", "Centrifuge", "CENTRIFUGE", 36, "4cJxB9Bjw1t7Tp51dmWCt3T5o3Q8UHjBS9i4zjbkJxqPfjB9"),
	substrate("HDX", "Hydration", "HYDRATION HYDRADX", 63, "7JZm9vodJsVjgPzY69Fr5NdZF9G4xEjEXYfccBxsp3tZGVz7"),
	substrate("ZTG", "Zeitgeist", "ZEITGEIST", 73, "dDyzMWx8YUbz6Tfi271DU9wfExTH48dFxTGXwBx2axjcyPPgk"),
}

func substrate(code, name, otherNames string, prefix uint16, example string) network {
	return network{
		Network: core.Network{Code: code, Name: name, OtherNames: names(otherNames), Checksum: true, Formats: formats("ss58", example)},
		read:    ss58{prefix}.read, memo: noMemo(), least: 46, most: 50,
		source: "paritytech/ss58-registry, prefix " + strconv.Itoa(int(prefix)), checked: "2026-11",
	}
}
