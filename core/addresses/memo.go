package addresses

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"causeway/core"
	"causeway/core/addresses/ascii"
)

// The kinds of memos in a request.
const (
	kindText   = "text"
	kindID     = "id"
	kindHash   = "hash"
	kindReturn = "return"
)

// memoCheck judges a memo for an address. kind is "" or one of the network's kinds.
type memoCheck func(memo, kind string, r *reading) (reason string, w warnings)

// memoRule is a network's rule for memos: its description and its check.
type memoRule struct {
	core.MemoRule
	check memoCheck
}

// judge returns the reason to reject a memo or its absence. An empty memo without a kind counts as
// absent.
func (m *memoRule) judge(memo *string, kind string, r *reading) (reason string, w warnings) {
	given := memo != nil && *memo+kind != ""
	taken := m.check != nil && r.memo != memoNever
	switch {
	case given && taken:
		reason, w = m.check(*memo, kind, r)
		if reason == "" && w&memoIgnored == 0 && conflicts(*memo, r) {
			return MemoConflict, 0
		}
		return reason, w
	case given:
		return "", memoIgnored
	case taken && m.Recommended && r.memo == memoOpen:
		return "", memoRecommended
	}
	return "", 0
}

// conflicts reports whether an address that carries its memo, or that there is none, says
// otherwise. Tags are compared as numbers.
func conflicts(memo string, r *reading) bool {
	same := r.tag != "" && strings.EqualFold(strings.TrimLeft(memo, "0"), strings.TrimLeft(r.tag, "0"))
	return r.memo == memoInside && !same
}

// noMemo is the rule of a network without memos.
func noMemo() memoRule {
	return memoRule{MemoRule: core.MemoRule{Rule: "This network has no memo; one that is sent is ignored."}}
}

// textMemo is the rule of a free text of at most limit bytes of UTF-8.
func textMemo(limit int, recommended bool) memoRule {
	return memoRule{
		MemoRule: core.MemoRule{
			Supported: true, Recommended: recommended, Kinds: []string{kindText},
			Rule: "Text of at most " + strconv.Itoa(limit) + " bytes of UTF-8.",
		},
		check: func(memo, _ string, _ *reading) (string, warnings) { return checkText(memo, limit), 0 },
	}
}

// numberMemo is the rule of a whole number of so many bits.
func numberMemo(bits int, recommended bool, rule string) memoRule {
	return memoRule{
		MemoRule: core.MemoRule{Supported: true, Recommended: recommended, Kinds: []string{kindID}, Rule: rule},
		check:    func(memo, _ string, _ *reading) (string, warnings) { return checkNumber(memo, bits) },
	}
}

// tagMemo is the destination tag of the XRP Ledger.
func tagMemo() memoRule {
	return numberMemo(32, true, "Destination tag: a whole number from 0 to 4294967295, digits only.")
}

// stellarMemo is the memo of Stellar, in four kinds.
func stellarMemo() memoRule {
	return memoRule{
		MemoRule: core.MemoRule{
			Supported: true, Recommended: true, Kinds: []string{kindText, kindID, kindHash, kindReturn},
			Rule: "text: at most 28 bytes of UTF-8; id: a whole number from 0 to 18446744073709551615; hash and return: 64 " +
				"hexadecimal digits. Without memo_type digits are an id, 64 hexadecimal digits a hash, anything else a text. A " +
				"muxed address (M…) takes none.",
		},
		check: checkStellarMemo,
	}
}

// tonMemo is the comment of a TON transfer. The protocol has no limit; 123 bytes fit into one cell.
func tonMemo() memoRule {
	return memoRule{
		MemoRule: core.MemoRule{
			Supported: true, Recommended: true, Kinds: []string{kindText},
			Rule: "Comment: text in UTF-8. More than 123 bytes do not fit into one cell, and many wallets refuse them.",
		},
		check: func(memo, _ string, _ *reading) (string, warnings) {
			reason := checkText(memo, len(memo))
			if reason == "" && len(memo) > 123 {
				return "", unusualFormat
			}
			return reason, 0
		},
	}
}

// dataMemo is the rule of a free text without a limit that few recipients need.
func dataMemo(rule string) memoRule {
	return memoRule{
		MemoRule: core.MemoRule{Supported: true, Kinds: []string{kindText}, Rule: rule},
		check:    func(memo, _ string, _ *reading) (string, warnings) { return checkText(memo, len(memo)), 0 },
	}
}

func checkStellarMemo(memo, kind string, _ *reading) (string, warnings) {
	if kind == "" {
		switch {
		case ascii.IsDigits(memo):
			kind = kindID
		case len(memo) == 64 && ascii.IsHex(memo):
			kind = kindHash
		default:
			kind = kindText
		}
	}
	switch kind {
	case kindID:
		return checkNumber(memo, 64)
	case kindHash, kindReturn:
		if len(memo) != 64 || !ascii.IsHex(memo) {
			return MemoBadEncoding, 0
		}
		return "", 0
	}
	return checkText(memo, 28), 0
}

// checkText counts bytes, not characters, and refuses the NUL that no wallet can show.
func checkText(memo string, limit int) string {
	switch {
	case len(memo) > limit:
		return MemoTooLong
	case !utf8.ValidString(memo) || strings.IndexByte(memo, 0) >= 0:
		return MemoBadEncoding
	}
	return ""
}

// checkNumber accepts digits only: no sign, point, exponent, space or foreign digits. Leading zeros
// are legal and rare.
func checkNumber(memo string, bits int) (string, warnings) {
	if !ascii.IsDigits(memo) {
		return MemoNotANumber, 0
	}
	significant := strings.TrimLeft(memo, "0")
	if len(significant) > 20 {
		return MemoOutOfRange, 0
	}
	if significant != "" {
		if _, err := strconv.ParseUint(significant, 10, bits); err != nil {
			return MemoOutOfRange, 0
		}
	}
	if len(memo) > 1 && memo[0] == '0' {
		return "", unusualFormat
	}
	return "", 0
}
