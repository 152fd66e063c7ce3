package config_test

import (
	"slices"
	"strings"
	"testing"

	"causeway/config"
)

func TestOperations(t *testing.T) {
	t.Parallel()
	t.Run("hyphens and underscores are alike", func(t *testing.T) {
		t.Parallel()
		cfg, err := config.Load(config.Sources{
			File: file(t, "auth: {operations: [list_pairs, get-pair]}\nlimits: {operations: {list_banks: 7/m, list-pairs: 9/m}}\n"),
		})
		if err != nil || !slices.Equal(cfg.Auth.Operations, []string{"list-pairs", "get-pair"}) {
			t.Errorf("got %v, %v", cfg.Auth.Operations, err)
		}
		if l := cfg.Limits.Operations; l["list-banks"].Calls != 7 || l["list-pairs"].Calls != 9 {
			t.Errorf("got %v", l)
		}
	})
	t.Run("the defaults are for operations that exist", func(t *testing.T) {
		t.Parallel()
		for id := range config.Default().Limits.Operations {
			if !config.IsOperation(id) {
				t.Errorf("%s is none", id)
			}
		}
	})
	t.Run("refuses one that does not exist", func(t *testing.T) {
		t.Parallel()
		path := file(t, "auth: {operations: [list-pears]}\nlimits:\n  operations: {validate-batch: 5/m}\n")
		_, err := config.Load(config.Sources{File: path, Env: []string{"CAUSEWAY_LIMITS__OPERATIONS__LIST_BANK=5/m"}})
		if err == nil {
			t.Fatal("accepted")
		}
		for _, want := range []string{
			path + ` line 1: auth.operations has "list-pears"; accepted: explain-price, `, path + " line 3: limits.operations.validate-batch is for no operation", "limits.operations.list-bank is",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error lacks %q:\n%v", want, err)
			}
		}
	})
}
