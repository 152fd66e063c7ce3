// Package wallets makes deposit addresses from the sources that an operator configures: a watch-only
// extended public key, a pool of imported addresses, or one address that all users share with a memo.
//
// The package never holds a private key. It refuses extended private keys without repeating them, and
// no error contains any part of a key.
package wallets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// Config is the section "deposits" of the configuration.
type Config struct {
	Wallets map[string]core.Secret `json:"wallets" doc:"Source of deposit addresses by network code, or EVM for all EVM networks: an output descriptor such as wpkh([d34db33f/84h/0h/0h]xpub…/0/*)#checksum, an extended public key, pool, or shared:ADDRESS. See docs/deposits.md."`
	// NewUsersPerDay protects pools, and gap limits, from a key that invents users.
	NewUsersPerDay int64 `json:"new_users_per_day" minimum:"1" doc:"Users without an address that the keys of one account may add a day (UTC). More get 429."`
}

// Default returns the configuration without wallets.
func Default() Config {
	const newUsers = 10_000
	return Config{NewUsersPerDay: newUsers}
}

const shownHash = 16 // bytes of a fingerprint

// Check reports what is wrong with the sources, without repeating them.
func (c Config) Check() error {
	_, err := c.Sources()
	return err
}

// Sources returns the configured sources by wallet.
func (c Config) Sources() (map[string]ports.AddressSource, error) {
	sources, faults := map[string]ports.AddressSource{}, []error(nil)
	for _, name := range slices.Sorted(maps.Keys(c.Wallets)) {
		wallet := strings.ToUpper(name)
		source, err := newSource(wallet, strings.TrimSpace(c.Wallets[name].Reveal()))
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("deposits.wallets.%s %w", name, err))
		case sources[wallet] != nil:
			faults = append(faults, fmt.Errorf("deposits.wallets.%s is set twice, in different case", name))
		default:
			sources[wallet] = source
		}
	}
	return sources, errors.Join(faults...)
}

// newSource reads the source of a wallet.
func newSource(wallet, text string) (ports.AddressSource, error) {
	address, isShared := strings.CutPrefix(text, "shared:")
	switch {
	case text == "":
		return nil, errors.New("is empty; accepted: an output descriptor, an extended public key, pool or shared:ADDRESS")
	case text == "pool":
		return pool{wallet}, nil
	case isShared:
		return newShared(wallet, strings.TrimSpace(address))
	}
	f, ok := families()[wallet]
	if !ok {
		return nil, fmt.Errorf("is a key or descriptor, from which only addresses of %s can be derived; "+
			"accepted: pool, or shared:ADDRESS on a network with memos",
			strings.Join(slices.Sorted(maps.Keys(families())), ", "))
	}
	return parseDescriptor(wallet, f, text)
}

// fingerprint hashes everything that determines the addresses of a source.
func fingerprint(parts ...string) string {
	sum := hashOf(parts...)
	return hex.EncodeToString(sum[:shownHash])
}

// hashOf returns 32 bytes that depend on all parts.
func hashOf(parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(parts, "\n")))
}
