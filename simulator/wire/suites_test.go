package wire_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"causeway/simulator/wire"
)

// runners are the parts of providertest specs that run the suites of ports.
var runners = map[string]string{
	"RateSource": "SimulatedRates", "BankDirectory": "SimulatedDirectory", "AccountResolver": "SimulatedResolver",
	"AccountConfirmer": "SimulatedConfirmer",
}

// TestEveryAdapterRunsItsSuitesOverTheSimulatedWire finds the ports that the adapter of each provider says it implements, and looks for the suite of each among
// the tests that open a simulated world.
func TestEveryAdapterRunsItsSuitesOverTheSimulatedWire(t *testing.T) {
	t.Parallel()
	implements := regexp.MustCompile(`(?m)^(?:var)?\s+_ ports\.(\w+)\s+= `)
	for _, provider := range wire.New(newWorld(t)).Providers() {
		var code, tests strings.Builder
		files, err := filepath.Glob(filepath.Join("..", "..", "adapters", "providers", provider, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no adapter: %v", provider, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case !strings.HasSuffix(file, "_test.go"):
				_, _ = code.Write(text)
			case strings.Contains(string(text), "wiretest.Open("), strings.Contains(string(text), "providertest.Simulated"):
				_, _ = tests.Write(text)
			}
		}
		ports := implements.FindAllStringSubmatch(code.String(), -1)
		if len(ports) == 0 {
			t.Errorf("the adapter of %s implements no port", provider)
		}
		for _, port := range ports {
			byRunner := strings.Contains(tests.String(), "&providertest."+runners[port[1]]+"{")
			if !byRunner && !strings.Contains(tests.String(), "porttest."+port[1]+"(t, ") {
				t.Errorf("%s does not run the suite of %s over its simulated wire", provider, port[1])
			}
		}
	}
}
