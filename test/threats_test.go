package test_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheThreatModelNamesTestsThatExist holds config/deploy/THREATS.md to the tests: a row whose proof is gone is no longer proved.
func TestTheThreatModelNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../config/deploy/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err = filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(page, -1)
	for _, m := range named {
		if !there[string(m[1])] {
			t.Errorf("there is no %s", m[1])
		}
	}
	for row := range strings.Lines(string(page)) {
		if strings.HasPrefix(row, "| ") && !strings.HasPrefix(row, "| attack") && !strings.Contains(row, "`Test") && !strings.Contains(row, "`make ") {
			t.Errorf("shown by nothing: %s", row)
		}
	}
	if len(named) < 40 {
		t.Errorf("%d tests are named: this says too little", len(named))
	}
}
