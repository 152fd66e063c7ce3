package addresses

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/core"
)

// oddMessage names the first character that no address can contain by its position, and the cleaned
// address where the rest is one beyond doubt: its checksum is right. Look-alike letters are never
// replaced: they may be an attack.
func (s *Service) oddMessage(w *workspace, n *network, text string) string {
	first, clean := firstOdd(text, n.spaced), cleaned(text)
	if r := n.judge(w, clean); r.reason == "" && r.checksum && (r.environment != core.Testnet || s.policy.Testnet) {
		return first + " Without such characters it is the valid address " + clean + "."
	}
	if once, ok := n.twice(w, clean); ok {
		return first + " The address was also pasted twice. Once, it is " + once + "."
	}
	return first + " Copy the address again from the wallet."
}

// firstOdd says where the first odd character is, and how many there are.
func firstOdd(text string, spaced bool) string {
	first, count, at := "", 0, 0
	for i, c := range text {
		at++
		if c > ' ' && c < 0x7f || c == ' ' && spaced && i > 0 && i < len(text)-1 {
			continue
		}
		count++
		if count == 1 {
			first = "Character " + strconv.Itoa(at) + " is " + oddName(c, text[i:]) + "."
		}
	}
	if count > 1 {
		return first + " There are " + strconv.Itoa(count) + " characters that an address cannot contain."
	}
	return first
}

// oddName says what a character is, with its code point where it can be confused. rest is the text
// from it on.
func oddName(c rune, rest string) string {
	if _, size := utf8.DecodeRuneInString(rest); c == utf8.RuneError && size == 1 {
		return "a byte that belongs to no text (not ASCII, not UTF-8)"
	}
	if name := blankNames[c]; name != "" {
		return name
	}
	code := " (U+" + codePoint(c) + ")"
	plain, alike := lookAlikes[c]
	switch {
	case unicode.IsControl(c):
		return "a control character" + code
	case unicode.In(c, invisible...):
		return "an invisible mark" + code + ", not ASCII"
	case unicode.IsSpace(c):
		return "a space of another kind" + code + ", not ASCII"
	case fullWidth(c):
		return "the full-width form of " + string(c-fullWidthOffset) + code + ", not the ASCII one"
	case alike:
		return "a look-alike of " + string(plain) + " from another script" + code + ", not the ASCII letter"
	case unicode.IsDigit(c):
		return "a digit of another script" + code + ", not ASCII"
	}
	return "not ASCII" + code
}

func codePoint(c rune) string {
	digits := strings.ToUpper(strconv.FormatInt(int64(c), 16))
	return strings.Repeat("0", max(0, 4-len(digits))) + digits
}

const fullWidthOffset = 0xfee0 // from U+0021 to U+FF01

func fullWidth(c rune) bool { return c >= '!'+fullWidthOffset && c <= '~'+fullWidthOffset }

// narrowed writes full-width forms in ASCII.
func narrowed(text string) string {
	return strings.Map(func(c rune) rune {
		if fullWidth(c) {
			return c - fullWidthOffset
		}
		return c
	}, text)
}

// cleaned drops blanks and invisible marks, and writes full-width forms in ASCII.
func cleaned(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c > ' ' && c < 0x7f:
			return c
		case unicode.IsSpace(c) || unicode.IsControl(c) || unicode.In(c, invisible...):
			return -1
		case fullWidth(c):
			return c - fullWidthOffset
		}
		return c
	}, text)
}
