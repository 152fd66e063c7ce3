package differential_test

import (
	"math/rand/v2"
	"testing"

	"causeway/core"
	"causeway/core/addresses"
)

// perNetwork is how many texts each network is asked about.
const perNetwork = 20_000

// answer is what a library says of a text.
type answer struct{ accepted, testnet bool }

// library is one way of asking a library about the addresses of one network.
type library struct {
	name     string
	judge    func(text string) answer
	wrong    []libraryError
	mainOnly bool // it was told to judge the main network
}

// libraryError is a known error of a library, or of the usual way of calling it.
type libraryError struct {
	name    string
	applies func(text string) bool
}

// subject is a network with the libraries that know its addresses.
type subject struct {
	network   string
	example   func(r *rand.Rand) string // an address, or what is one but for its version, length or prefix
	libraries []library
}

// services are the service in the sandbox and in production, for a currency of the same name on every network.
func services(t *testing.T, subjects []subject) (sandbox, production *addresses.Service) {
	t.Helper()
	var currencies []core.Currency
	for _, s := range subjects {
		currencies = append(currencies, core.Currency{Code: s.network, Type: core.Crypto, Networks: []string{s.network}})
	}
	sandbox, err := addresses.New(currencies, addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	if production, err = addresses.New(currencies, addresses.Policy{}); err != nil {
		t.Fatal(err)
	}
	return sandbox, production
}

// TestAgreement asks about addresses, mistyped addresses and garbage, always the same ones.
func TestAgreement(t *testing.T) {
	t.Parallel()
	subjects := allSubjects()
	sandbox, production := services(t, subjects)
	for i, s := range subjects {
		t.Run(s.network, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 3))
			accepted, errors := 0, map[string]int{}
			for range perNetwork {
				text := someText(r, s)
				for _, l := range s.libraries {
					said := l.judge(text)
					if name := knownError(l, text); name != "" {
						errors[l.name+" "+name]++
						continue
					}
					if said.accepted {
						accepted++
					}
					compare(t, production, s.network, l.name, text, said.accepted && !said.testnet, said)
					if !l.mainOnly {
						compare(t, sandbox, s.network, l.name, text, said.accepted, said)
					}
				}
			}
			if least := perNetwork / 20; accepted < least {
				t.Errorf("only %d texts were accepted, want at least %d: the test proves too little", accepted, least)
			}
			for _, l := range s.libraries {
				for _, e := range l.wrong {
					t.Logf("%s %s: %d times", l.name, e.name, errors[l.name+" "+e.name])
					if errors[l.name+" "+e.name] == 0 {
						t.Errorf("the error %q of %s did not turn up", e.name, l.name)
					}
				}
			}
		})
	}
}

// knownError names the error that a library is known to make with a text.
func knownError(l library, text string) string {
	for _, e := range l.wrong {
		if e.applies(text) {
			return e.name
		}
	}
	return ""
}

// compare asks Causeway and reports a difference.
func compare(t *testing.T, service *addresses.Service, network, name, text string, want bool, said answer) {
	t.Helper()
	v, err := service.Validate(core.AddressQuery{Currency: network, Address: core.Private(text)})
	if err != nil {
		t.Fatal(err)
	}
	if v.Valid != want {
		t.Errorf("%q: we say %v (%s), %s says %v", text, v.Valid, v.Reason, name, want)
	}
	if v.Valid && said.testnet != (v.Environment == core.Testnet) {
		t.Errorf("%q: we say %s, %s says that it is of a test network: %v", text, v.Environment, name, said.testnet)
	}
}
