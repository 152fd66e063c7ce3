package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
)

// Again reads the sources of the configuration once more: the file, and files with secrets, as they are now. Variables and flags of a process
// do not change.
func (c Config) Again() (Config, error) {
	if c.again == nil {
		return Config{}, errors.New("config: it was not loaded")
	}
	return c.again()
}

// Changed are the keys in which another configuration differs, in the order of the file: those that a running process takes over, and those that
// need a restart.
func (c Config) Changed(next Config) (taken, restart []string) {
	before := map[string]any{}
	walk("", reflect.ValueOf(c), func(name, _ string, value reflect.Value) { before[name] = value.Interface() })
	walk("", reflect.ValueOf(next), func(name, _ string, value reflect.Value) {
		switch key := strings.TrimSuffix(name, "."+anyName); {
		case reflect.DeepEqual(before[name], value.Interface()):
		case slices.Contains(reloadable, key):
			taken = append(taken, key)
		default:
			restart = append(restart, key)
		}
	})
	return taken, restart
}

// Taking is the configuration with what a running process takes over from another one.
func (c Config) Taking(next Config) Config {
	c.Log.Level, c.Auth.Keys, c.Catalog.Dir, c.Prices.Margins = next.Log.Level, next.Auth.Keys, next.Catalog.Dir, next.Prices.Margins
	return c
}
