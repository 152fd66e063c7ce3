package evm

import (
	"errors"
	"math/big"
	"strings"

	"github.com/shopspring/decimal"
)

// quantity is a number of the API: hexadecimal with the prefix 0x, of at most 256 bits.
type quantity struct{ value big.Int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (q *quantity) UnmarshalText(text []byte) error {
	const mostDigits = 64
	digits, ok := hexDigits(text)
	if !ok || digits == "" || len(digits) > mostDigits {
		return errors.New("not a quantity")
	}
	q.value.SetString(digits, 16)
	return nil
}

func (q *quantity) decimal() decimal.Decimal { return decimal.NewFromBigInt(&q.value, 0) }

// number is a small quantity, such as a height.
type number int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *number) UnmarshalText(text []byte) error {
	var q quantity
	if err := q.UnmarshalText(text); err != nil || !q.value.IsInt64() {
		return errors.New("not a small quantity")
	}
	*n = number(q.value.Int64())
	return nil
}

// hash is 32 bytes in lower case, with the prefix 0x. Empty: null.
type hash string

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *hash) UnmarshalText(text []byte) error {
	const length = 64
	digits, ok := hexDigits(text)
	if !ok || len(digits) != length {
		return errors.New("not a hash")
	}
	*h = hash("0x" + digits)
	return nil
}

// address is 20 bytes in lower case, with the prefix 0x. Empty: null.
type address string

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *address) UnmarshalText(text []byte) error {
	const length = 40
	digits, ok := hexDigits(text)
	if !ok || len(digits) != length {
		return errors.New("not an address")
	}
	*a = address("0x" + digits)
	return nil
}

// hexDigits returns the digits after 0x in lower case.
func hexDigits(text []byte) (string, bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(string(text)), "0x")
	return digits, ok && strings.Trim(digits, "0123456789abcdef") == ""
}
