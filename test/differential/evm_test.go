package differential_test

import (
	"math/rand/v2"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/umbracle/ethgo"
)

// uniform reports whether the letters of a text after 0x are all of one case: no checksum.
func uniform(text string) bool {
	digits := strings.TrimPrefix(text, "0x")
	return strings.ToLower(digits) == digits || strings.ToUpper(digits) == digits
}

// prefixed reports whether a text is 0x and 40 digits in any case.
func prefixed(text string) bool {
	return strings.HasPrefix(text, "0x") && common.IsHexAddress(text)
}

// ethereum is a network of the Ethereum family, asked of each library by each of the usual calls.
func ethereum(network string) subject {
	example := func(r *rand.Rand) string {
		text := common.BytesToAddress(data(r, 20)).Hex()
		switch r.IntN(8) {
		case 0:
			return strings.ToLower(text)
		case 1:
			return "0x" + strings.ToUpper(text[2:])
		case 2:
			return text[2:]
		case 3:
			return "0X" + text[2:]
		}
		return text
	}
	oneCase := libraryError{"refuses addresses without a checksum", func(text string) bool { return prefixed(text) && uniform(text) }}
	return subject{network, example, []library{
		{
			name:  "go-ethereum IsHexAddress",
			judge: func(text string) answer { return answer{accepted: common.IsHexAddress(text)} },
			wrong: []libraryError{
				{"takes 0X", func(text string) bool { return strings.HasPrefix(text, "0X") && common.IsHexAddress(text) }},
				{"takes digits without 0x", func(text string) bool { return len(text) == 40 && common.IsHexAddress(text) }},
				{"never looks at the checksum", func(text string) bool {
					return prefixed(text) && !uniform(text) && common.HexToAddress(text).Hex() != text
				}},
			},
		},
		{
			name:  "go-ethereum Hex() == text",
			judge: func(text string) answer { return answer{accepted: common.HexToAddress(text).Hex() == text} },
			wrong: []libraryError{oneCase},
		},
		{
			name: "ethgo String() == text",
			judge: func(text string) answer {
				var a ethgo.Address
				err := a.UnmarshalText([]byte(text))
				return answer{accepted: err == nil && a.String() == text}
			},
			wrong: []libraryError{oneCase},
		},
	}}
}
