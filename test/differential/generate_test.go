package differential_test

import (
	"math/rand/v2"
	"strings"
)

const (
	base58Letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	bech32Letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	hexLetters    = "0123456789abcdefABCDEF"
	anyLetters    = base58Letters + "0OIl" + bech32Letters + " :.-_/+=\n"
)

// someText is an address as it is, with mistakes, or no address at all.
func someText(r *rand.Rand, s subject) string {
	switch r.IntN(5) {
	case 0, 1:
		return s.example(r)
	case 2, 3:
		text := s.example(r)
		for range 1 + r.IntN(3) {
			text = mistake(r, text)
		}
		return text
	}
	return garbage(r)
}

// mistake changes a text as people and programs do.
func mistake(r *rand.Rand, text string) string {
	if text == "" {
		return "1"
	}
	at, letter := r.IntN(len(text)), string(anyLetters[r.IntN(len(anyLetters))])
	switch r.IntN(12) {
	case 0, 1, 2:
		return text[:at] + letter + text[at+1:]
	case 3:
		return text[:at] + text[at+1:]
	case 4:
		return text[:at] + letter + text[at:]
	case 5:
		if at+1 < len(text) {
			return text[:at] + text[at+1:at+2] + text[at:at+1] + text[at+2:]
		}
		return text
	case 6:
		return text[:at] + flip(text[at:at+1]) + text[at+1:]
	case 7:
		return strings.ToUpper(text)
	case 8:
		return strings.ToLower(text)
	case 9:
		return text[:at]
	case 10:
		return text + [...]string{" ", "\n", "\x00", "\u200b", "=", text}[r.IntN(6)]
	}
	return text[:at] + string(rune(r.IntN(0x3000))) + text[at:]
}

func flip(letter string) string {
	if lower := strings.ToLower(letter); lower != letter {
		return lower
	}
	return strings.ToUpper(letter)
}

// garbage is a text of one alphabet, or of any bytes.
func garbage(r *rand.Rand) string {
	length := r.IntN(110)
	switch r.IntN(5) {
	case 0:
		return letters(r, base58Letters, length)
	case 1:
		return letters(r, bech32Letters, 1+r.IntN(5)) + "1" + letters(r, bech32Letters, length)
	case 2:
		return "0x" + letters(r, hexLetters, 40)
	case 3:
		return string(data(r, length))
	}
	return letters(r, anyLetters, length)
}

func letters(r *rand.Rand, alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(text)
}

func data(r *rand.Rand, length int) []byte {
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	return bytes
}

// one returns one of the choices, mostly, or anything that other makes.
func one[T any](r *rand.Rand, choices []T, other func() T) T {
	if r.IntN(4) == 0 {
		return other()
	}
	return choices[r.IntN(len(choices))]
}
