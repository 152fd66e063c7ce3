package wallets

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/hdkeychain"

	"causeway/core"
	"causeway/ports"
)

// extended derives addresses from an extended public key (BIP 32).
type extended struct {
	chain       *hdkeychain.ExtendedKey // parent of the addresses
	script      string
	encode      func(*btcec.PublicKey, string) (string, error)
	fingerprint string
}

// Kind implements ports.AddressSource.
func (*extended) Kind() ports.SourceKind { return ports.KeySource }

// Fingerprint implements ports.AddressSource.
func (x *extended) Fingerprint() string { return x.fingerprint }

// Address returns the address of a child key.
func (x *extended) Address(index int64, _ core.Private) (core.DepositAddress, error) {
	if index < 0 || index >= hdkeychain.HardenedKeyStart {
		return core.DepositAddress{}, fmt.Errorf("%w: all indexes of the extended public key are used",
			ports.ErrNoAddressLeft)
	}
	child, err := x.chain.Derive(uint32(index))
	if err != nil {
		return core.DepositAddress{}, fmt.Errorf("derive index %d: %w", index, err)
	}
	key, err := child.ECPubKey()
	if err != nil {
		return core.DepositAddress{}, err
	}
	text, err := x.encode(key, x.script)
	return core.DepositAddress{Address: core.Private(text)}, err
}

// parseDescriptor reads an output descriptor (BIP 380) of a single extended public key, or the key
// alone where it determines the script. The path after the key defaults to /0/*, the receiving
// addresses of BIP 44. Errors do not repeat the text.
func parseDescriptor(wallet string, f family, text string) (ports.AddressSource, error) {
	text, err := verifyChecksum(text)
	if err != nil {
		return nil, err
	}
	script, expression, err := splitScript(text)
	if err != nil {
		return nil, err
	}
	origin, rest, err := splitOrigin(expression)
	if err != nil {
		return nil, err
	}
	encoded, path, _ := strings.Cut(rest, "/")
	key, err := parseKey(f, encoded)
	if err != nil {
		return nil, err
	}
	if script, err = f.choose(script, f.versions[hex.EncodeToString(key.Version())]); err != nil {
		return nil, err
	}
	if err := f.checkOrigin(origin, script); err != nil {
		return nil, err
	}
	chain, err := derivePath(key, path, strings.Contains(rest, "/"))
	if err != nil {
		return nil, err
	}
	public, err := chain.ECPubKey()
	if err != nil {
		return nil, err
	}
	return &extended{chain, script, f.encode, fingerprint(wallet, script,
		hex.EncodeToString(public.SerializeCompressed()), hex.EncodeToString(chain.ChainCode()))}, nil
}

// splitScript separates the script expression from the key expression.
func splitScript(text string) (script, key string, err error) {
	for _, script := range []string{pkh, wpkh, shWpkh, tr} {
		inner, ok := strings.CutPrefix(text, script+"(")
		if !ok {
			continue
		}
		closing := strings.Repeat(")", 1+strings.Count(script, "("))
		if inner, ok = strings.CutSuffix(inner, closing); !ok || strings.ContainsAny(inner, "(){},") {
			return "", "", errors.New("is not a descriptor of a single key; " +
				"accepted: pkh(KEY), wpkh(KEY), sh(wpkh(KEY)), tr(KEY)")
		}
		return script, inner, nil
	}
	if strings.ContainsAny(text, "(){},") {
		return "", "", errors.New("has an unsupported script expression; " +
			"accepted: pkh(KEY), wpkh(KEY), sh(wpkh(KEY)), tr(KEY)")
	}
	return "", text, nil
}

// splitOrigin separates the origin of a key, [fingerprint/path], and returns its path.
func splitOrigin(text string) (path []string, key string, err error) {
	inside, key, closed := strings.Cut(text, "]")
	inside, opened := strings.CutPrefix(inside, "[")
	if !opened && !closed {
		return nil, text, nil
	}
	steps := strings.Split(inside, "/")
	id, err := hex.DecodeString(steps[0])
	const idBytes = 4
	if !opened || !closed || err != nil || len(id) != idBytes || strings.Contains(key, "[") || strings.Contains(key, "]") {
		return nil, "", errors.New("has a malformed key origin; " +
			"accepted: [8 hexadecimal digits/path], such as [d34db33f/84h/0h/0h]")
	}
	for _, step := range steps[1:] {
		if _, err := strconv.ParseUint(strings.TrimRight(step, "h'"), 10, 31); err != nil {
			return nil, "", errors.New("has a malformed path in the key origin; " +
				"accepted: numbers with h or ' for hardened steps")
		}
	}
	return steps[1:], key, nil
}

// parseKey reads an extended public key and refuses what BIP 32 calls invalid (test vector 5).
func parseKey(f family, encoded string) (*hdkeychain.ExtendedKey, error) {
	key, err := hdkeychain.NewKeyFromString(encoded)
	secret := err == nil && key.IsPrivate() ||
		len(encoded) > 4 && slices.Contains([]string{"prv", "tpv", "rkv", "gpv"}, encoded[1:4])
	switch {
	case secret:
		return nil, errors.New("is a private extended key, which is not repeated here; " +
			"remove it, consider it compromised, and export the public key of the account instead")
	case errors.Is(err, hdkeychain.ErrBadChecksum):
		return nil, errors.New("has an extended public key with a wrong checksum; copy it again")
	case err != nil:
		return nil, errors.New("has no valid extended public key; accepted: " + f.accepts())
	case key.Depth() == 0 && (key.ParentFingerprint() != 0 || key.ChildIndex() != 0):
		return nil, errors.New("has an invalid extended public key: a master key with a parent")
	}
	if _, ok := f.versions[hex.EncodeToString(key.Version())]; !ok {
		return nil, errors.New("has an extended public key of another network; accepted: " + f.accepts())
	}
	return key, nil
}

// choose returns the script of the addresses: the script that the descriptor names, or the script
// that the version of the key stands for.
func (f family) choose(named, implied string) (string, error) {
	accepted := strings.Join(f.scripts, "(KEY), ") + "(KEY)"
	accepted = strings.Replace(accepted, shWpkh+"(KEY)", "sh(wpkh(KEY))", 1)
	switch {
	case len(f.scripts) == 0 && named != "":
		return "", errors.New("names a script, which the network does not have; accepted: the extended public key alone")
	case len(f.scripts) == 0:
		return "", nil
	case named == "" && implied == "":
		return "", errors.New("does not say the kind of address; accepted: " + accepted)
	case named == "":
		return implied, nil
	case !slices.Contains(f.scripts, named):
		return "", errors.New("names a script that the network does not support; accepted: " + accepted)
	case implied != "" && implied != named:
		return "", errors.New("has a key for another kind of address than its script; " +
			"accepted: the script of the key's prefix, or an xpub")
	}
	return named, nil
}

// checkOrigin compares a standard path, purpose/coin type/account, with the network and the script.
func (f family) checkOrigin(path []string, script string) error {
	purposes := map[string]string{"44": pkh, "49": shWpkh, "84": wpkh, "86": tr}
	const accountDepth = 3
	if len(path) < accountDepth {
		return nil
	}
	step := func(i int) string { return strings.TrimRight(path[i], "h'") }
	purpose, standard := purposes[step(0)]
	switch {
	case !standard:
		return nil
	case step(1) != strconv.FormatUint(uint64(f.coinType), 10):
		return fmt.Errorf("has the key of another coin: its origin has coin type %s, and the network has %d (SLIP-44)",
			step(1), f.coinType)
	case script != "" && purpose != script:
		return fmt.Errorf("has a key with purpose %s in its origin, which is not the purpose of the script", step(0))
	}
	return nil
}

// derivePath derives the parent of the addresses.
func derivePath(key *hdkeychain.ExtendedKey, path string, given bool) (*hdkeychain.ExtendedKey, error) {
	if !given {
		path = "0/*"
	}
	steps, ranged := strings.CutSuffix("/"+path, "/*")
	if !ranged {
		return nil, errors.New("has a path that does not end in /*; accepted: such as /0/*")
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(steps, "/"), "/") {
		if step == "" && steps == "" {
			break
		}
		index, err := strconv.ParseUint(step, 10, 31)
		if err != nil {
			return nil, errors.New("has a path with a step that is not a number below 2147483648; " +
				"hardened steps need the private key")
		}
		if key, err = key.Derive(uint32(index)); err != nil {
			return nil, errors.New("has a path that cannot be derived")
		}
	}
	return key, nil
}

// verifyChecksum verifies and removes the checksum of a descriptor, if it has one.
// Characters that no descriptor contains are an error.
func verifyChecksum(text string) (string, error) {
	payload, sum, has := strings.Cut(text, "#")
	want, ok := checksum(payload)
	switch {
	case !ok:
		return "", errors.New("has a character that no descriptor contains")
	case has && sum != want:
		return "", errors.New("has a wrong checksum after #; copy the descriptor again")
	}
	return payload, nil
}

// checksum computes the checksum of BIP 380. It is false for characters outside its set.
func checksum(payload string) (string, bool) {
	const (
		inputSet = "0123456789()[],'/*abcdefgh@:$%{}" + "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~" +
			"ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "
		checksumSet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
		length      = 8
	)
	generator := []uint64{0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d, 0x3706b1677a, 0x644d626ffd}
	c := uint64(1)
	feed := func(symbol int) {
		top := c >> 35
		c = (c&0x7ffffffff)<<5 ^ uint64(symbol) //nolint:gosec // an index of a set
		for i, g := range generator {
			if top>>i&1 == 1 {
				c ^= g
			}
		}
	}
	group, members := 0, 0
	for _, r := range payload {
		at := strings.IndexRune(inputSet, r)
		if at < 0 {
			return "", false
		}
		feed(at & 31)
		group, members = group*3+at>>5, members+1
		if members == 3 {
			feed(group)
			group, members = 0, 0
		}
	}
	if members > 0 {
		feed(group)
	}
	for range length {
		feed(0)
	}
	c ^= 1
	var out strings.Builder
	for i := range length {
		out.WriteByte(checksumSet[c>>(5*(length-1-i))&31])
	}
	return out.String(), true
}
