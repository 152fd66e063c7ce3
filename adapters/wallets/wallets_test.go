package wallets

import (
	"fmt"
	"strings"
	"testing"

	"causeway/core"
	"causeway/ports"
)

// The key of BIP 86, which is valid wherever an xpub is.
const (
	validKey = "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ"
	testKey  = "tpubDDKn3FtHc74CaRrRbi1WFdJNaaenZkDWqq9NsEhcafnDZ4VuKeuLG2aKHm5SuwuLgAhRkkfHqcCxpnVNSrs5kJYZXwa6Ud431VnevzzzK3U"
	bipYpub  = "ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3zbeJJJUZPf663zsP"
	privKey  = "xprv9xgqHN7yz9MwCkxsBPN5qetuNdQSUttZNKw1dcYTV4mkaAFiBVGQziHs3NRSWMkCzvgjEe3n9xV8oYywvM8at9yRqyaZVz6TYYhX98VjsUk"
)

func TestConfig_InvalidSources(t *testing.T) {
	t.Parallel()
	valid, ok := checksum("wpkh(" + validKey + "/0/*)")
	if !ok {
		t.Fatal("no checksum")
	}
	for _, c := range []struct{ wallet, source, want string }{
		{"BTC", "", "is empty"},
		{"BTC", privKey, "private extended key"},
		{"BTC", "wpkh(" + privKey + "/0/*)", "private extended key"},
		{"LTC", "Ltpv71G8qDifUiNetP6nmxPA5STrUVmv2J9YSmXajv8VsYBUyuPhvN9xCaQrfX2wo5xxJNtEazYCFRUu5FmokYMM79pcqz8pcdo4rNXAFPgyB4k", "private extended key"},
		{"BTC", validKey, "kind of address"},
		{"BTC", "wpkh(" + validKey[:100] + ")", "no valid extended public key"},
		{"BTC", "wpkh(" + strings.Replace(validKey, "pReUsQ", "pReUsP", 1) + ")", "wrong checksum"},
		{"BTC", "wpkh(" + validKey + "/0/*)#" + strings.ToUpper(valid), "wrong checksum"},
		{"BTC", "wpkh(" + testKey + ")", "another network"},
		{"LTC", "wpkh(" + bipYpub + ")", "another network"},
		{"EVM", "Ltub2Y8PyEMWQVgiX4L4gVzU8PakBTQ2WBxFdS6tJARQeasUUfXmBut2jGShnQyD3jgyBf7mmvs5jPNgmgXad5J6M8a8FiZK78dbT21fYtTAC9a", "another network"},
		{"BTC", "wpkh(" + bipYpub + ")", "another kind of address"},
		{"BTC", "wsh(" + validKey + ")", "unsupported script"},
		{"BTC", "multi(1," + validKey + ")", "unsupported script"},
		{"BTC", "tr(" + validKey + "/0/*,pk(" + validKey + "))", "single key"},
		{"DOGE", "wpkh(" + validKey + ")", "does not support"},
		{"LTC", "tr(" + validKey + ")", "does not support"},
		{"EVM", "pkh(" + validKey + ")", "names a script"},
		{"SOL", validKey, "accepted: pool"},
		{"ETH", validKey, "accepted: pool"},
		{"BTC", "wpkh(" + validKey + "/0)", "end in /*"},
		{"BTC", "wpkh(" + validKey + "/0h/*)", "hardened"},
		{"BTC", "wpkh(" + validKey + "/2147483648/*)", "below 2147483648"},
		{"BTC", "wpkh(" + validKey + "/<0;1>/*)", "below 2147483648"},
		{"BTC", "wpkh([deadbef/84h/0h/0h]" + validKey + ")", "key origin"},
		{"BTC", "wpkh([deadbeef/84h/0h/0h" + validKey + ")", "key origin"},
		{"BTC", "wpkh([deadbeef/84x/0h/0h]" + validKey + ")", "key origin"},
		{"BTC", "wpkh([deadbeef/84h/2h/0h]" + validKey + ")", "another coin"},
		{"TRX", "[deadbeef/44h/60h/0h]" + validKey, "another coin"},
		{"BTC", "wpkh([deadbeef/49h/0h/0h]" + validKey + ")", "purpose"},
		{"BTC", "wpkh(Ü)", "character"},
		{"XRP", "shared:", "no address"},
	} {
		err := Config{Wallets: map[string]core.Secret{c.wallet: core.Secret(c.source)}}.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "deposits.wallets."+c.wallet+" ") {
			t.Errorf("%s: got %v, want %q", c.source, err, c.want)
		}
		for _, secret := range []string{validKey[5:30], privKey[5:30], testKey[5:30], bipYpub[5:30]} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error repeats the key: %v", err)
			}
		}
	}
	twice := Config{Wallets: map[string]core.Secret{"btc": "pool", "BTC": "pool"}}
	if err := twice.Check(); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v", err)
	}
}

func sources(t *testing.T, wallets map[string]core.Secret) map[string]ports.AddressSource {
	t.Helper()
	all, err := Config{Wallets: wallets}.Sources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The fingerprint depends on what determines the addresses, and on nothing else.
func TestConfig_Fingerprint(t *testing.T) {
	t.Parallel()
	of := func(wallet, source string) string {
		return sources(t, map[string]core.Secret{wallet: core.Secret(source)})[wallet].Fingerprint()
	}
	base := of("BTC", "wpkh("+validKey+"/0/*)")
	sum, _ := checksum("wpkh(" + validKey + ")")
	for _, same := range []string{
		"wpkh(" + validKey + ")", "wpkh(" + validKey + ")#" + sum, " wpkh([deadbeef/84h/0h/0h]" + validKey + "/0/*) ",
	} {
		if of("BTC", same) != base {
			t.Errorf("%s differs", same)
		}
	}
	for wallet, other := range map[string]string{
		"BTC": "wpkh(" + validKey + "/1/*)", "LTC": "wpkh(" + validKey + "/0/*)", "DOGE": validKey,
	} {
		if of(wallet, other) == base {
			t.Errorf("%s has the same fingerprint", other)
		}
	}
	if of("BTC", "pkh("+validKey+")") == base || strings.Contains(base, validKey[:20]) {
		t.Error("the fingerprint does not depend on the script, or shows the key")
	}
}

func TestSources_PoolAndShared(t *testing.T) {
	t.Parallel()
	all := sources(t, map[string]core.Secret{"sol": "pool", "XRP": "shared:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"})
	if got, err := all["SOL"].Address(7, "imported"); err != nil || got != (core.DepositAddress{Address: "imported"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := all["SOL"].Address(7, ""); err == nil || !strings.Contains(err.Error(), "import --wallet SOL") {
		t.Errorf("got %v", err)
	}
	want := core.DepositAddress{Address: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", Memo: "1"}
	if got, err := all["XRP"].Address(0, ""); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := all["XRP"].Address(maxTag-1, ""); err != nil || got.Memo != "4294967295" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := all["XRP"].Address(maxTag, ""); err == nil {
		t.Error("a tag beyond 32 bits was made")
	}
}

// Every simulated address is valid on its network, of the test network where that has a format of its
// own, the same for the same seed, and different for others.
func TestSandbox(t *testing.T) {
	t.Parallel()
	validate := validator(t)
	own := map[string]bool{"BTC": true, "LTC": true, "DOGE": true, "DASH": true, "BCH": true, "ADA": true, "TON": true}
	for _, mainnet := range []bool{false, true} {
		seen := map[string]string{}
		for _, seed := range []string{"causeway", "causeway", "other"} {
			all := Sandbox(seed, mainnet)
			for wallet, source := range all {
				for index := range int64(3) {
					got, err := source.Address(index, "")
					if err != nil {
						t.Fatal(err)
					}
					memo := got.Memo.Reveal()
					q := core.AddressQuery{Currency: home(wallet), Address: got.Address}
					if memo != "" {
						q.Memo = &memo
					}
					verdict, err := validate.Validate(q)
					if err != nil || !verdict.Valid || (verdict.Environment == core.Testnet) != (own[wallet] && !mainnet) {
						t.Errorf("%s: %s: %+v, %v", wallet, got.Address.Reveal(), verdict, err)
					}
					text := fmt.Sprint(wallet, " ", got.Address.Reveal(), " ", memo)
					place := fmt.Sprint(seed, " ", index)
					if before, ok := seen[text]; ok && before != place {
						t.Errorf("%s is both %s and %s", text, before, place)
					}
					seen[text] = place
				}
			}
			if len(all) != 18 {
				t.Errorf("%d wallets", len(all))
			}
		}
		if want := 2 * 3 * 18; len(seen) != want {
			t.Errorf("%d addresses, want %d: they are not deterministic", len(seen), want)
		}
	}
}
