package contract_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// productionBinary is the environment variable that makes a run of these tests use a process in
// production mode. It holds the path of the binary.
const productionBinary = "CONTRACT_IN_PRODUCTION"

// inBothModes lists the tests of what may differ in production: the middleware of the sandbox,
// access, and responses that depend on providers, which are reached over TCP. The code behind the
// other tests does not know the mode.
var inBothModes = []string{
	"TestAccess",
	"TestBanks",
	"TestBodies",
	"TestDocs",
	"TestErrors_NoPrivateData",
	"TestPairs_Consistent", "TestPrice_Age",
	"TestRequestIDs",
	"TestResolve", "TestResolve_FieldErrors",
	"TestRoutes_Unknown", "TestRoutes_Asterisk",
	"TestValidate_Testnets",
}

// withoutLimits adds to the environment of a production-mode process what tests with many requests
// need.
func withoutLimits(env []string) []string {
	return append(env, "CAUSEWAY_LIMITS__DEFAULT=none", "CAUSEWAY_LIMITS__OPERATIONS__RESOLVE_ACCOUNT=none",
		"CAUSEWAY_LIMITS__OPERATIONS__STREAM_PAIRS=none", "CAUSEWAY_LIMITS__OPERATIONS__VALIDATE_ADDRESSES=none",
		"CAUSEWAY_RECIPIENTS__GUARD__MODE=off")
}

// TestProduction runs the tests of inBothModes against a production-mode process and simulated
// providers.
func TestProduction(t *testing.T) {
	t.Parallel()
	if production {
		t.Fatal("TestProduction runs itself")
	}
	again := exec.Command(os.Args[0], "-test.v", "-test.run=^("+strings.Join(inBothModes, "|")+")$")
	again.Env = append(os.Environ(), productionBinary+"="+binary)
	out, err := again.CombinedOutput()
	if err != nil {
		passed := regexp.MustCompile(`(?m)^ *(=== |--- PASS).*\n`)
		t.Errorf("%v\n%s", err, passed.ReplaceAll(out, nil))
	}
	for _, name := range inBothModes {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not pass in production mode", name)
		}
	}
}
