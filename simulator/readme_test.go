package simulator_test

import (
	"os"
	"strings"
	"testing"

	"causeway/simulator"
)

func TestTheReadmeListsEveryMagicAccount(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range simulator.MagicAccounts() {
		if row := "| `" + account.Suffix + "` | " + account.Title + " |"; !strings.Contains(string(readme), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
	}
}
