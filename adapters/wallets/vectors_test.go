package wallets

import (
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg"

	"causeway/core"
	"causeway/core/addresses"
)

// master returns the root key of a BIP 39 mnemonic.
func master(t *testing.T, mnemonic string) *hdkeychain.ExtendedKey {
	t.Helper()
	const rounds, size = 2048, 64
	seed, err := pbkdf2.Key(sha512.New, mnemonic, []byte("mnemonic"), rounds, size)
	if err != nil {
		t.Fatal(err)
	}
	key, err := hdkeychain.NewMaster(seed, &chaincfg.MainNetParams)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// derive derives a path such as m/44h/0h/0h.
func derive(t *testing.T, key *hdkeychain.ExtendedKey, path string) *hdkeychain.ExtendedKey {
	t.Helper()
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(path, "m"), "/"), "/") {
		if step == "" {
			break
		}
		number, hard := strings.CutSuffix(step, "h")
		index, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			t.Fatal(err)
		}
		if hard {
			index += hdkeychain.HardenedKeyStart
		}
		if key, err = key.Derive(uint32(index)); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

// public encodes the extended public key of a key with a version.
func public(t *testing.T, key *hdkeychain.ExtendedKey, version string) string {
	t.Helper()
	neuter, err := key.Neuter()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(version)
	if err != nil {
		t.Fatal(err)
	}
	versioned, err := neuter.CloneWithVersion(raw)
	if err != nil {
		t.Fatal(err)
	}
	return versioned.String()
}

// addressOf returns an address of a source in its canonical form.
func addressOf(t *testing.T, families map[string]family, wallet, descriptor string, index int64) string {
	t.Helper()
	source, err := parseDescriptor(wallet, families[wallet], descriptor)
	if err != nil {
		t.Fatalf("%s: %v", wallet, err)
	}
	got, err := source.Address(index, "")
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := validator(t).Validate(core.AddressQuery{Currency: home(wallet), Address: got.Address})
	if err != nil || !verdict.Valid {
		t.Fatalf("%s: %s is not valid: %+v, %v", wallet, got.Address.Reveal(), verdict, err)
	}
	return verdict.Normalized
}

// home returns the currency that is native to the network of a wallet.
func home(wallet string) string { return strings.Replace(wallet, "EVM", "ETH", 1) }

func validator(t *testing.T) *addresses.Service {
	t.Helper()
	var currencies []core.Currency
	for _, code := range []string{
		"BTC", "LTC", "DOGE", "DASH", "BCH", "TRX", "ETH", "RBTC", "SOL", "APT", "SUI", "NEAR", "ADA", "XRP", "XLM", "TON",
		"HBAR", "ATOM",
	} {
		currencies = append(currencies, core.Currency{Code: code, Type: core.Crypto, DefaultNetwork: code})
	}
	service, err := addresses.New(currencies, addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

const (
	abandon = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	all     = "all all all all all all all all all all all all"
)

// Extended public keys and addresses of BIP 49, 84 and 86, and of SLIP-132 for BIP 44.
func TestDescriptor_BIPVectors(t *testing.T) {
	t.Parallel()
	const (
		slip132x = "xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj"
		slip132y = "ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3zbeJJJUZPf663zsP"
		bip84    = "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
		bip86    = "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ"
	)
	for _, c := range []struct {
		descriptor string
		index      int64
		want       string
	}{
		{"pkh(" + slip132x + "/0/*)", 0, "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA"},
		{slip132y, 0, "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf"},
		{"sh(wpkh(" + slip132y + "/0/*))", 0, "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf"},
		{bip84, 0, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"},
		{bip84, 1, "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g"},
		{"wpkh(" + bip84 + "/1/*)", 0, "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el"},
		{"tr(" + bip86 + "/0/*)", 0, "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"},
		{"tr([73c5da0a/86h/0h/0h]" + bip86 + "/0/*)", 1, "bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh"},
		{"tr([73c5da0a/86'/0'/0']" + bip86 + "/1/*)", 0, "bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7"},
	} {
		if got := addressOf(t, families(), "BTC", c.descriptor, c.index); got != c.want {
			t.Errorf("%s: index %d is %s, want %s", c.descriptor, c.index, got, c.want)
		}
	}
	test := families()["BTC"]
	test.versions, test.encode = map[string]string{"044a5262": shWpkh}, outputs(0x6f, 0xc4, "tb")
	bip49 := "upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEWtGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY"
	if got := addressOf(t, map[string]family{"BTC": test}, "BTC", bip49, 0); got != "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2" {
		t.Errorf("BIP 49: %s", got)
	}
}

// Output scripts of BIP 382.
func TestDescriptor_BIP382(t *testing.T) {
	t.Parallel()
	const key = "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH"
	source, err := parseDescriptor("BTC", families()["BTC"], "wpkh([ffffffff/13']"+key+"/1/2/*)")
	if err != nil {
		t.Fatal(err)
	}
	for index, script := range []string{
		"0014326b2249e3a25d5dc60935f044ee835d090ba859", "0014af0bd98abc2f2cae66e36896a39ffe2d32984fb7",
		"00141fa798efd1cbf95cebf912c031b8a4a6e9fb9f27",
	} {
		x := source.(*extended)
		child, err := x.chain.Derive(uint32(index))
		if err != nil {
			t.Fatal(err)
		}
		address, err := child.Address(&chaincfg.MainNetParams) // the same hash as P2PKH
		if err != nil || "0014"+hex.EncodeToString(address.ScriptAddress()) != script {
			t.Errorf("index %d: %x, %v; want %s", index, address.ScriptAddress(), err, script)
		}
	}
}

// Extended public keys and addresses of the device tests of trezor-firmware
// (tests/device_tests/bitcoin/test_getaddress.py, test_getaddress_segwit*.py, test_getpublickey.py,
// common/tests/fixtures/ethereum/getaddress.json) and of trezor-suite
// (packages/connect/e2e/__fixtures__: tronGetAddress, signTransactionDoge, signTransactionDash), read
// 2026-11. Their coin types follow SLIP-44.
func TestDescriptor_TrezorFixtures(t *testing.T) {
	t.Parallel()
	root := master(t, all)
	hash := func(prefix byte, digits string) string {
		raw, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		return base58.CheckEncode(raw, prefix)
	}
	for _, c := range []struct {
		wallet, format, path, version, chain string
		index                                int64
		want                                 string
	}{
		{"BTC", "pkh(%s)", "44h/0h/0h", xpub, "0", 0, "1JAd7XCBzGudGpJQSDSfpmJhiygtLQWaGL"},
		{"BTC", "pkh(%s)", "44h/0h/0h", xpub, "0", 1, "1GWFxtwWmNVqotUPXLcKVL2mUKpshuJYo"},
		{"BTC", "pkh(%s)", "44h/0h/0h", xpub, "1", 0, "1DyHzbQUoQEsLxJn6M7fMD8Xdt1XvNiwNE"},
		{"BTC", "wpkh(%s)", "84h/0h/0h", zpub, "0", 0, "bc1qannfxke2tfd4l7vhepehpvt05y83v3qsf6nfkk"},
		{"BTC", "wpkh(%s)", "84h/0h/0h", xpub, "1", 0, "bc1qktmhrsmsenepnnfst8x6j27l0uqv7ggrg8x38q"},
		{"BTC", "tr(%s)", "86h/0h/0h", xpub, "0", 0, "bc1ptxs597p3fnpd8gwut5p467ulsydae3rp9z75hd99w8k3ljr9g9rqx6ynaw"},
		{"BTC", "tr(%s)", "86h/0h/0h", xpub, "1", 0, "bc1pgypgja2hmcx2l6s2ssq75k6ev68ved6nujcspt47dgvkp8euc70s6uegk6"},
		{"LTC", "pkh(%s)", "44h/2h/0h", ltub, "0", 0, "LcubERmHD31PWup1fbozpKuiqjHZ4anxcL"},
		{"LTC", "pkh(%s)", "44h/2h/0h", xpub, "0", 1, "LVWBmHBkCGNjSPHucvL2PmnuRAJnucmRE6"},
		{"LTC", "pkh(%s)", "44h/2h/0h", ltub, "1", 0, "LWj6ApswZxay4cJEJES2sGe7fLMLRvvv8h"},
		{"BCH", "%s", "44h/145h/0h", xpub, "0", 0, "bitcoincash:qr08q88p9etk89wgv05nwlrkm4l0urz4cyl36hh9sv"},
		{"BCH", "pkh(%s)", "44h/145h/0h", xpub, "0", 1, "bitcoincash:qr23ajjfd9wd73l87j642puf8cad20lfmqdgwvpat4"},
		{"BCH", "pkh(%s)", "44h/145h/0h", xpub, "1", 0, "bitcoincash:qzc5q87w069lzg7g3gzx0c8dz83mn7l02scej5aluw"},
		{"DOGE", "%s", "44h/3h/0h", dgub, "1", 0, hash(0x1e, "a1e0c04eb8da2d135c3249cf39b69c86494f78b6")},
		{"DASH", "%s", "44h/5h/0h", drkp, "1", 0, hash(0x4c, "fd61dd017dad1f505c0511142cc9ac51ef3a5beb")},
		{"EVM", "%s", "44h/60h/0h", xpub, "0", 0, "0x73d0385F4d8E00C5e6504C6030F47BF6212736A8"},
		{"EVM", "%s", "44h/60h/0h", xpub, "0", 100, "0x1e6E3708a059aEa1241a81c7aAe84b6CDbC54d59"},
		{"TRX", "%s", "44h/195h/0h", xpub, "0", 0, "TY72iA3SBtrds3QLYsS7LwYfkzXwAXCRWT"},
		{"TRX", "%s", "44h/195h/0h", xpub, "0", 1, "TFz2CJn9CJb8C4i1Gke3jmZX2fRMJxniH2"},
	} {
		key := "[5c9e228d/" + c.path + "]" + public(t, derive(t, root, c.path), c.version) + "/" + c.chain + "/*"
		if got := addressOf(t, families(), c.wallet, fmt.Sprintf(c.format, key), c.index); got != c.want {
			t.Errorf("%s %s/%s/%d: got %s, want %s", c.wallet, c.path, c.chain, c.index, got, c.want)
		}
	}
	for path, want := range map[string]string{
		"44h/0h/0h": "xpub6BiVtCpG9fQPxnPmHXG8PhtzQdWC2Su4qWu6XW9tpWFYhxydCLJGrWBJZ5H6qTAHdPQ7pQhtpjiYZVZARo14qHiay2fvrX996oEP42u8wZy",
		"44h/2h/0h": "Ltub2Y8PyEMWQVgiX4L4gVzU8PakBTQ2WBxFdS6tJARQeasUUfXmBut2jGShnQyD3jgyBf7mmvs5jPNgmgXad5J6M8a8FiZK78dbT21fYtTAC9a",
	} {
		version := map[bool]string{true: ltub, false: xpub}[strings.HasPrefix(want, "Ltub")]
		if got := public(t, derive(t, root, path), version); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// Chains of BIP 32, test vectors 1 to 4: the public derivation of the library agrees wherever the last
// step is not hardened, and all keys are read.
func TestBIP32_ValidVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seed   string
		chains []string // path, extended public key
	}{
		{"000102030405060708090a0b0c0d0e0f", []string{
			"m", "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
			"m/0h", "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
			"m/0h/1", "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
			"m/0h/1/2h", "xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5",
			"m/0h/1/2h/2", "xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV",
			"m/0h/1/2h/2/1000000000", "xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy",
		}},
		{"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", []string{
			"m", "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB",
			"m/0", "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH",
			"m/0/2147483647h", "xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85ySDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a",
			"m/0/2147483647h/1", "xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon",
			"m/0/2147483647h/1/2147483646h", "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL",
			"m/0/2147483647h/1/2147483646h/2", "xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt",
		}},
		{"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", []string{
			"m", "xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13",
			"m/0h", "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y",
		}},
		{"3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", []string{
			"m", "xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa",
			"m/0h", "xpub69AUMk3qDBi3uW1sXgjCmVjJ2G6WQoYSnNHyzkmdCHEhSZ4tBok37xfFEqHd2AddP56Tqp4o56AePAgCjYdvpW2PU2jbUPFKsav5ut6Ch1m",
			"m/0h/1h", "xpub6BJA1jSqiukeaesWfxe6sNK9CCGaujFFSJLomWHprUL9DePQ4JDkM5d88n49sMGJxrhpjazuXYWdMf17C9T5XnxkopaeS7jGk1GyyVziaMt",
		}},
	} {
		seed, err := hex.DecodeString(c.seed)
		if err != nil {
			t.Fatal(err)
		}
		root, err := hdkeychain.NewMaster(seed, &chaincfg.MainNetParams)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(c.chains); i += 2 {
			path, want := c.chains[i], c.chains[i+1]
			if got := public(t, derive(t, root, path), xpub); got != want {
				t.Errorf("%s: got %s, want %s", path, got, want)
			}
			if _, err := parseDescriptor("BTC", families()["BTC"], "wpkh("+want+"/*)"); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			parent, last := path[:strings.LastIndex("/"+path, "/")], path[strings.LastIndex(path, "/")+1:]
			if path == "m" || strings.HasSuffix(last, "h") {
				continue
			}
			neuter, err := derive(t, root, strings.TrimSuffix(parent, "/")).Neuter()
			if err != nil {
				t.Fatal(err)
			}
			if got := derive(t, neuter, "m/"+last).String(); got != want {
				t.Errorf("%s from the parent's public key: got %s, want %s", path, got, want)
			}
		}
	}
}

// Invalid keys of BIP 32, test vector 5, all of which are refused. No error repeats a key.
func TestBIP32_InvalidVectors(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm",
		"xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGTQQD3dC4H2D5GBj7vWvSQaaBv5cxi9gafk7NF3pnBju6dwKvH",
		"xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn",
		"xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGpWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ",
		"xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4",
		"xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD9y5gkZ6Eq3Rjuahrv17fEQ3Qen6J",
		"xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv",
		"xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ",
		"xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN",
		"xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpebzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8",
		"DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHGMQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4",
		"DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHPmHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9",
		"xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF93Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx",
		"xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G",
		"xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY",
		"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL",
	} {
		_, err := parseDescriptor("BTC", families()["BTC"], "wpkh("+key+"/0/*)")
		if err == nil || strings.Contains(err.Error(), key[4:20]) {
			t.Errorf("%s: got %v", key, err)
		}
		if private := strings.HasPrefix(key, "xprv"); err != nil && private && !strings.Contains(err.Error(), "private") {
			t.Errorf("%s: got %v", key, err)
		}
	}
}

// Checksums of BIP 380.
func TestChecksum_BIP380(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		"raw(deadbeef)#89f8spxm": true, "raw(deadbeef)": true, "raw(deadbeef)#": false, "raw(deadbeef)#89f8spxmx": false,
		"raw(deadbeef)#89f8spx": false, "raw(deedbeef)#89f8spxm": false, "raw(deedbeef)##9f8spxm": false,
		"raw(Ü)#00000000": false,
	} {
		if _, err := verifyChecksum(text); (err == nil) != valid {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
