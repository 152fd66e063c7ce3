package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
	goyaml "go.yaml.in/yaml/v3"
)

const (
	envPrefix = "CAUSEWAY_"
	envFile   = "CAUSEWAY_CONFIG" // names the file, like --config
	envLevel  = "__"              // CAUSEWAY_LOG__LEVEL is log.level
)

// Sources are where the settings come from, in the order in which they win: a later one overrides.
type Sources struct {
	File  string            // path of a YAML file; empty: none, or the one that CAUSEWAY_CONFIG names
	Env   []string          // as os.Environ gives it; only CAUSEWAY_* is looked at
	Flags map[string]string // by key, for example "operator_listen"; only those given
}

// Load reads the settings, in the order file, environment, flags. It returns every fault that it finds, those of the operator's own catalog among them.
func Load(sources Sources) (Config, error) {
	settings, origin, faults := merge(sources)
	for _, key := range settings.Keys() {
		if !known(key) {
			faults = append(faults, fmt.Errorf("%s: unknown key %q%s", origin[key], key, suggestion(key)))
			settings.Delete(key)
		}
	}
	cfg := Default()
	faults = append(faults, decode(settings, origin, &cfg)...)
	if cfg.Mode == Production && !settings.Exists("drain.delay") {
		cfg.Drain.Delay = productionDelay
	}
	cfg.normalize()
	faults = append(faults, placed(cfg.check(), origin)...)
	cfg.origin = origin
	if len(faults) > 0 && (cfg.Catalog.Dir != "" || len(cfg.Prices.Margins) > 0) { // else whoever reads the catalog is told; our own has none
		_, fault := cfg.LoadCatalog()
		faults = append(faults, fault)
	}
	cfg.again = func() (Config, error) { return Load(sources) }
	return cfg, errors.Join(faults...)
}

// placed says of faults that begin with a key where that was set.
func placed(faults []error, origin map[string]string) []error {
	var out []error
	for _, fault := range faults {
		if several, ok := fault.(interface{ Unwrap() []error }); ok {
			out = append(out, placed(several.Unwrap(), origin)...)
			continue
		}
		key, _, _ := strings.Cut(fault.Error(), " ")
		if place := origin[key]; place != "" {
			fault = fmt.Errorf("%s: %w", place, fault)
		}
		out = append(out, fault)
	}
	return out
}

// merge lays the sources over each other and remembers where each key came from.
func merge(sources Sources) (*koanf.Koanf, map[string]string, []error) {
	var faults []error
	all, origin := koanf.New("."), map[string]string{}
	add := func(name string, k *koanf.Koanf, lines map[string]int) {
		for _, key := range k.Keys() {
			origin[key] = name
			if line := lines[key]; line > 0 {
				origin[key] = fmt.Sprint(name, " line ", line)
			}
		}
		if err := all.Merge(k); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}

	path := sources.File
	for _, variable := range sources.Env {
		if value, ok := strings.CutPrefix(variable, envFile+"="); ok && path == "" {
			path = value
		}
	}
	if path != "" {
		k, lines, err := readFile(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("configuration file: %w", err))
		}
		add("configuration file "+path, k, lines)
	}

	environ, secretFaults := secretsOf(sources.Env)
	faults = append(faults, secretFaults...)
	k := koanf.New(".")
	if err := k.Load(environment(environ), nil); err != nil {
		faults = append(faults, fmt.Errorf("environment: %w", err))
	}
	add("environment", k, nil)

	k = koanf.New(".")
	for key, value := range sources.Flags {
		if err := k.Set(key, value); err != nil {
			faults = append(faults, fmt.Errorf("flag %s: %w", key, err))
		}
	}
	add("flag", k, nil)
	return all, origin, faults
}

// readFile reads a file, and on which line of it every key is.
func readFile(path string) (*koanf.Koanf, map[string]int, error) {
	k := koanf.New(".")
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return k, nil, err
	}
	settings, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return k, nil, fmt.Errorf("%s is not YAML: %w", path, err)
	}
	var root goyaml.Node
	if documents := goyaml.NewDecoder(bytes.NewReader(text)); documents.Decode(&root) == nil && !errors.Is(documents.Decode(new(any)), io.EOF) {
		return k, nil, fmt.Errorf("%s has more than one document (---); accepted: one", path)
	}
	for key, value := range settings {
		if err := k.Set(key, value); err != nil {
			return k, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	lines := map[string]int{}
	for _, n := range root.Content {
		linesOf(n, "", lines)
	}
	return k, lines, nil
}

// linesOf notes the lines of the keys of a mapping, and of those inside.
func linesOf(n *goyaml.Node, prefix string, lines map[string]int) {
	if n.Kind != goyaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := prefix + n.Content[i].Value
		lines[key] = n.Content[i].Line
		linesOf(n.Content[i+1], key+".", lines)
	}
}

// injected are the variables that Kubernetes gives to pods beside a Service named causeway. CAUSEWAY_PORT is one where it holds a URL: a number is a mistake.
var injected = regexp.MustCompile(`^CAUSEWAY_(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?=)`)

func environment(environ []string) *env.Env {
	return env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if name == envFile || value == "" || injected.MatchString(name+"="+value) {
				return "", nil
			}
			return keyOf(name), value
		},
	})
}

// decode sets the fields one key at a time, so that every bad value is reported with its key and origin.
func decode(settings *koanf.Koanf, origin map[string]string, cfg *Config) []error {
	var faults []error
	keys := settings.Keys()
	slices.Sort(keys)
	for _, key := range keys {
		one := koanf.New(".")
		err := one.Set(key, settings.Get(key))
		if err == nil {
			err = set(one.Raw(), cfg)
		}
		if err != nil && isSecret(key) {
			faults = append(faults, fmt.Errorf("%s: %s has the wrong shape; it is %s", origin[key], key, shape(key)))
		} else if err != nil {
			faults = append(faults, fmt.Errorf("%s: %s is %q: %s", origin[key], key, fmt.Sprint(settings.Get(key)), reason(err)))
		}
	}
	return faults
}

func set(raw map[string]any, cfg *Config) error {
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: cfg, TagName: "json", WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.TextUnmarshallerHookFunc(),
			measure,
			list,
		),
	})
	if err != nil {
		return err
	}
	return decoder.Decode(raw)
}

// measure reads durations, which need their unit, and keeps fractions out of whole numbers.
func measure(from, to reflect.Type, value any) (any, error) {
	switch {
	case to == reflect.TypeFor[time.Duration]() && from.Kind() == reflect.String:
		return time.ParseDuration(reflect.ValueOf(value).String())
	case to == reflect.TypeFor[time.Duration]() && from != to:
		return nil, errors.New("a duration needs its unit, such as 5s or 200ms")
	case to.Kind() >= reflect.Int && to.Kind() <= reflect.Uint64 && from.Kind() == reflect.Float64:
		return nil, errors.New("accepted: a whole number")
	default:
		return value, nil
	}
}

// list reads a comma-separated text where a list is wanted.
func list(from, to reflect.Type, value any) (any, error) {
	text, ok := value.(string)
	if !ok || from.Kind() != reflect.String || to.Kind() != reflect.Slice {
		return value, nil
	}
	items := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items, nil
}

// reason returns the innermost error's text on one line: the decoder wraps it in headings.
func reason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
