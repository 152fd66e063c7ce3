package config

import (
	"errors"
	"reflect"
	"slices"
)

// Again reads the sources of the configuration once more: the file, and files with secrets, as they are now. The
// variables and flags of a process do not change.
func (c Config) Again() (Config, error) {
	if c.origin == nil {
		return Config{}, errors.New("config: it was not loaded")
	}
	return Load(c.sources)
}

// Changed returns the keys in which another configuration differs: keys that a running process takes over, and keys
// that need a restart.
func (c Config) Changed(next Config) (taken, restart []string) {
	later := fields(&next)
	for i, f := range fields(&c) {
		switch {
		case reflect.DeepEqual(f.value.Interface(), later[i].value.Interface()):
		case f.tag.Get("reload") != "":
			taken = append(taken, f.key())
		default:
			restart = append(restart, f.key())
		}
	}
	return slices.Compact(taken), slices.Compact(restart) // a map of sections has several fields
}

// Taking returns the configuration with what a running process takes over from another one.
func (c Config) Taking(next Config) Config {
	later := fields(&next)
	for i, f := range fields(&c) {
		if f.tag.Get("reload") != "" {
			f.value.Set(later[i].value)
		}
	}
	return c
}
