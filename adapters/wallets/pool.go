package wallets

import (
	"errors"
	"fmt"
	"strconv"

	"causeway/core"
	"causeway/ports"
)

// pool is a list of addresses that were generated offline and imported.
type pool struct{ wallet string }

// Kind implements ports.AddressSource.
func (pool) Kind() ports.SourceKind { return ports.PoolSource }

// Fingerprint implements ports.AddressSource.
func (p pool) Fingerprint() string { return fingerprint(p.wallet, "pool") }

// Address returns the imported address.
func (p pool) Address(_ int64, imported core.Private) (core.DepositAddress, error) {
	if imported == "" {
		return core.DepositAddress{}, fmt.Errorf("%w: import more addresses with causeway deposits import --wallet %s",
			ports.ErrNoAddressLeft, p.wallet)
	}
	return core.DepositAddress{Address: imported}, nil
}

// maxTag is the largest tag that every network with numeric tags accepts: 32 bits, as on the XRP
// Ledger.
const maxTag = 1<<32 - 1

// shared is one address for all users. A memo identifies the user: the index, from 1 on.
type shared struct {
	wallet  string
	address core.Private
}

func newShared(wallet, address string) (ports.AddressSource, error) {
	if address == "" {
		return nil, errors.New("has no address; accepted: shared:ADDRESS")
	}
	return shared{wallet, core.Private(address)}, nil
}

// Kind implements ports.AddressSource.
func (shared) Kind() ports.SourceKind { return ports.SharedSource }

// Fingerprint implements ports.AddressSource.
func (s shared) Fingerprint() string { return fingerprint(s.wallet, "shared", s.address.Reveal()) }

// Address returns the shared address with the tag of the index.
func (s shared) Address(index int64, _ core.Private) (core.DepositAddress, error) {
	if index >= maxTag {
		return core.DepositAddress{}, fmt.Errorf("%w: all tags of %s are used", ports.ErrNoAddressLeft, s.wallet)
	}
	return core.DepositAddress{Address: s.address, Memo: core.Private(strconv.FormatInt(index+1, 10))}, nil
}
