package tron

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"

	"causeway/core"
)

const accountBytes = 20

// hash is 32 bytes in lower case. Empty: none.
type hash string

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *hash) UnmarshalText(text []byte) error {
	const length = 64
	digits, err := hexDigits(text, length)
	*h = hash(digits)
	return err
}

// account is an address without its first byte, as in logs. Empty: none.
type account string

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *account) UnmarshalText(text []byte) error {
	digits, err := hexDigits(text, 2*accountBytes)
	*a = account(digits)
	return err
}

// text returns the address as users write it.
func (a account) text() core.Private {
	bytes, _ := hex.DecodeString(string(a)) // has hexadecimal digits only
	return core.Private(base58.CheckEncode(bytes, version))
}

// full is an address with its first byte, 41. Empty: none.
type full string

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *full) UnmarshalText(text []byte) error {
	digits, err := hexDigits(text, 2*accountBytes+2)
	if err == nil && digits != "" && !strings.HasPrefix(digits, "41") {
		err = errors.New("not an address")
	}
	*f = full(digits)
	return err
}

func (f full) account() account { return account(f[2:]) }

// hexDigits returns an exact number of digits, or none, in lower case.
func hexDigits(text []byte, length int) (string, error) {
	digits := strings.ToLower(string(text))
	if digits != "" && (len(digits) != length || strings.Trim(digits, "0123456789abcdef") != "") {
		return "", errors.New("not hexadecimal digits of the right number")
	}
	return digits, nil
}
