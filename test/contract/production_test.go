package contract_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// productionRound is the variable that makes a run of these tests the second round. It holds the path of the binary.
const productionRound = "CONTRACT_IN_PRODUCTION"

// sandboxOnly are the tests about what only a sandbox has, with the reason. All others hold in production too.
var sandboxOnly = map[string]string{
	"TestTheContractHoldsInProduction":    "it is the one that starts the second round",
	"TestResolveOutcomes":                 magicOnly,
	"TestResolveSimulatedWallets":         magicOnly,
	"TestEverySituationInEveryCountry":    magicOnly,
	"TestWhereNobodyAnswers":              magicOnly,
	"TestAClaimedNameIsJudged":            magicOnly,
	"TestSouthAfricaConfirmsNames":        magicOnly,
	"TestNumbersThatNobodyHas":            ownSandbox,
	"TestAnInstallationThatOnlyConfirms":  ownSandbox,
	"TestAThousandClientsFollowAtOnce":    "a thousand clients are enough for one machine; they follow a sandbox meanwhile",
	"TestHistoryExistsFromTheFirstSecond": "what was before the start is known to a simulated world alone",
}

const (
	magicOnly  = "magic numbers are at the Simulated Bank and the operator SIM, which are no institutions of production"
	ownSandbox = "it starts a sandbox of its own, for magic numbers"
)

// inProduction adds to the variables of causeway upstream what the tests need that ask more than a client does.
func inProduction(env []string) []string {
	return append(env, "CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none", "CAUSEWAY_LIMITS__OPERATIONS__STREAM_PAIRS=none",
		"CAUSEWAY_LIMITS__OPERATIONS__VALIDATE_ADDRESSES=none", "CAUSEWAY_RESOLUTION__GUARD__MODE=off")
}

// TestTheContractHoldsInProduction runs all these tests again, against production-mode processes that ask the simulated providers over TCP.
func TestTheContractHoldsInProduction(t *testing.T) {
	t.Parallel()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(sandboxOnly)) {
		names = append(names, "^"+name+"$")
	}
	again := exec.Command(os.Args[0], "-test.v", "-test.skip="+strings.Join(names, "|"))
	again.Env = append(os.Environ(), productionRound+"="+binary)
	out, err := again.CombinedOutput()
	if err != nil {
		passing := regexp.MustCompile(`(?m)^ *(=== |--- PASS).*\n`)
		t.Errorf("%v\n%s", err, passing.ReplaceAll(out, nil))
	}
	ran := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^=== RUN +(Test\w+)$`).FindAllSubmatch(out, -1) {
		ran[string(m[1])] = true
	}
	list, err := exec.Command(os.Args[0], "-test.list=^Test").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(list))
	for _, name := range all {
		if why, left := sandboxOnly[name]; ran[name] == left {
			t.Errorf("%s: ran in production: %t; left out because %q", name, ran[name], why)
		}
	}
	for name := range sandboxOnly {
		if !slices.Contains(all, name) {
			t.Errorf("there is no test %s to leave out", name)
		}
	}
}
