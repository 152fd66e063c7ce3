package tron

import (
	"encoding/hex"
	"errors"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"

	"causeway/adapters/chains/backend"
	"causeway/core"
)

const accountBytes = 20

// account is an address without its first byte, as in logs. Empty: none.
type account string

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *account) UnmarshalText(text []byte) error {
	digits, err := backend.Hex(text, 2*accountBytes)
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
	digits, err := backend.Hex(text, 2*accountBytes+2)
	if err == nil && digits != "" && !strings.HasPrefix(digits, "41") {
		err = errors.New("not an address")
	}
	*f = full(digits)
	return err
}

func (f full) account() account { return account(f[2:]) }
