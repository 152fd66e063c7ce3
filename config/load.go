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

	"causeway/adapters/providers/provider"
	"causeway/core"
)

const (
	envPrefix  = "CAUSEWAY_"
	envFile    = "CAUSEWAY_CONFIG"    // path of the file, like the flag --config
	envSim     = envPrefix + "SIM_"   // flags of causeway sim
	envServer  = envPrefix + "SERVER" // flags of the commands that call a server
	envKey     = envPrefix + "KEY"
	envLevel   = "__"     // CAUSEWAY_LOG__LEVEL is log.level
	envSecret  = "_FILE"  // suffix of a variable that names a file with a secret
	maxSecret  = 64 << 10 // bytes of such a file
	fileOrigin = "configuration file "
)

// Sources are where settings come from. A later one overrides an earlier one.
type Sources struct {
	File  string            // path of a YAML file; empty: the one that CAUSEWAY_CONFIG names, or none
	Env   []string          // as os.Environ returns it
	Flags map[string]string // by setting, such as "operator_listen"
}

func (s Sources) file() string {
	for _, variable := range s.Env {
		if value, ok := strings.CutPrefix(variable, envFile+"="); ok && s.File == "" {
			return value
		}
	}
	return s.File
}

// Load reads and checks the settings. The error joins all faults; each names the setting, its origin and what is
// accepted, and no secret. The configuration is returned beside faults as far as it could be read.
func Load(sources Sources) (Config, error) {
	settings, origin, faults := merge(sources)
	for _, key := range settings.Keys() {
		if _, known := find(key); !known {
			faults = append(faults, fmt.Errorf("%s: unknown key %q%s", origin[key], key, suggest(key)))
			settings.Delete(key)
		}
	}
	cfg := Default()
	cfg.sources, cfg.origin = sources, origin
	faults = append(faults, decode(settings, origin, &cfg)...)
	if cfg.Mode == Production && !settings.Exists("drain.delay") {
		cfg.Drain.Delay = productionDelay
	}
	cfg.normalize()
	faults = append(faults, cfg.locate(cfg.check()...))
	faults = flatten(faults...)
	if len(faults) > 0 && (cfg.Catalog.Dir != "" || len(cfg.Prices.Margins) > 0) {
		// Without faults, the caller reads the catalog.
		_, err := cfg.LoadCatalog()
		faults = append(faults, err)
	}
	return cfg, errors.Join(faults...)
}

// locate adds to each fault that begins with a key where that was set.
func (c Config) locate(faults ...error) error {
	single := flatten(faults...)
	for i, fault := range single {
		if origin := c.origin[keyIn(fault)]; origin != "" {
			single[i] = fmt.Errorf("%s: %w", origin, fault)
		}
	}
	return errors.Join(single...)
}

// keyIn returns the key that a fault begins with.
func keyIn(fault error) string {
	key, _, _ := strings.Cut(fault.Error(), " ")
	return key
}

// flatten returns single errors of joined ones.
func flatten(errs ...error) []error {
	var out []error
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			out = append(out, flatten(joined.Unwrap()...)...)
		} else if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// merge reads all sources. It returns the settings and the origin of each.
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
	if path := sources.file(); path != "" {
		k, lines, err := readFile(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("configuration file: %w", err))
		}
		add(fileOrigin+path, k, lines)
	}

	environ, secretFaults := readSecrets(sources.Env)
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

// readFile reads a YAML file and the line of each key. Sections without settings are ignored.
func readFile(path string) (*koanf.Koanf, map[string]int, error) {
	k := koanf.New(".")
	text, err := os.ReadFile(path)
	if err != nil {
		return k, nil, err
	}
	settings, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return k, nil, fmt.Errorf("%s is not YAML: %w", path, err)
	}
	var root goyaml.Node
	documents := goyaml.NewDecoder(bytes.NewReader(text))
	if documents.Decode(&root) == nil && !errors.Is(documents.Decode(new(any)), io.EOF) {
		return k, nil, fmt.Errorf("%s has more than one document (---); accepted: one", path)
	}
	for key, value := range settings {
		if err := k.Set(key, value); err != nil {
			return k, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, key := range k.Keys() {
		if k.Get(key) == nil {
			k.Delete(key)
		}
	}
	lines := map[string]int{}
	for _, n := range root.Content {
		findLines(n, "", lines)
	}
	return k, lines, nil
}

// findLines collects the line of each key of a mapping and of those below.
func findLines(n *goyaml.Node, prefix string, lines map[string]int) {
	if n.Kind != goyaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := prefix + n.Content[i].Value
		lines[key] = n.Content[i].Line
		findLines(n.Content[i+1], key+".", lines)
	}
}

// injected matches the variables that Kubernetes sets in pods beside a Service named causeway. CAUSEWAY_PORT is one of
// them if it holds a URL; a number is a mistake of the operator.
var injected = regexp.MustCompile(
	`^CAUSEWAY_(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?=)`)

func environment(environ []string) *env.Env {
	return env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if name == envFile || name == envServer || name == envKey || strings.HasPrefix(name, envSim) ||
				value == "" || injected.MatchString(name+"="+value) {
				return "", nil
			}
			return keyOf(name), value
		},
	})
}

// keyOf returns the key that a variable sets.
func keyOf(variable string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), envLevel, ".")
}

// readSecrets replaces variables such as CAUSEWAY_X_FILE, where X is a secret, by CAUSEWAY_X with the content of the
// file, as Docker and Kubernetes mount secrets. Faults name the file and nothing of its content.
func readSecrets(environ []string) ([]string, []error) {
	set := map[string]bool{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value != ""
	}
	var faults []error
	out := make([]string, 0, len(environ))
	for _, variable := range environ {
		name, path, _ := strings.Cut(variable, "=")
		target, isFile := strings.CutSuffix(name, envSecret)
		f, known := find(keyOf(target))
		if !isFile || path == "" || !strings.HasPrefix(name, envPrefix) || !known || !f.secret() {
			out = append(out, variable)
			continue
		}
		secret, err := readSecret(path)
		switch {
		case set[target]:
			faults = append(faults, fmt.Errorf("environment: %s and %s are both set; set one of them", target, name))
		case err != nil:
			faults = append(faults, fmt.Errorf("environment: %s: %w", name, err))
		default:
			out = append(out, target+"="+secret)
		}
	}
	return out, faults
}

// readSecret reads a file without the line break at its end.
func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" || len(secret) > maxSecret {
		return "", fmt.Errorf("%s has no secret in it; accepted: one line", path)
	}
	return secret, nil
}

// decode sets the fields key by key, so that every bad value is reported with its key and origin.
func decode(settings *koanf.Koanf, origin map[string]string, cfg *Config) []error {
	var faults []error
	for _, key := range slices.Sorted(slices.Values(settings.Keys())) {
		one := koanf.New(".")
		err := one.Set(key, settings.Get(key))
		if err == nil {
			err = set(one.Raw(), cfg)
		}
		if err == nil {
			continue
		}
		if f, _ := find(key); f.secret() {
			shape := "a text, or a list of texts"
			if f.value.Kind() == reflect.Map {
				shape = "one key per name: " + f.path + " (" + f.env() + ")"
			}
			faults = append(faults, fmt.Errorf("%s: %s has the wrong shape; accepted: %s", origin[key], key, shape))
		} else {
			faults = append(faults, fmt.Errorf("%s: %s is %q: %s",
				origin[key], key, fmt.Sprint(settings.Get(key)), innermost(err)))
		}
	}
	return faults
}

func set(raw map[string]any, cfg *Config) error {
	for name, values := range raw {
		if d, ok := findSection(name); ok {
			return decodeInto(values, cfg.Providers[d.Name]) // raw has one key
		}
	}
	return decodeInto(raw, cfg)
}

// decodeInto sets the fields of a struct.
func decodeInto(raw, result any) error {
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: result, TagName: "json", WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(mapstructure.TextUnmarshallerHookFunc(), decodeNumber, decodeList),
	})
	if err != nil {
		return err
	}
	return decoder.Decode(raw)
}

// decodeNumber reads durations, which need a unit, and refuses fractions where whole numbers are wanted.
func decodeNumber(from, to reflect.Type, value any) (any, error) {
	switch {
	case to == reflect.TypeFor[time.Duration]() && from.Kind() == reflect.String:
		return ParseDuration(reflect.ValueOf(value).String())
	case to == reflect.TypeFor[time.Duration]() && from != to:
		return nil, errors.New("a duration needs its unit, such as 5s or 200ms")
	case to.Kind() >= reflect.Int && to.Kind() <= reflect.Uint64 && from.Kind() == reflect.Float64:
		return nil, errors.New("accepted: a whole number")
	default:
		return value, nil
	}
}

// decodeList reads a comma-separated text where a list is wanted.
func decodeList(from, to reflect.Type, value any) (any, error) {
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

// innermost returns the text of the innermost error on one line, without the headings of the decoder.
func innermost(err error) string {
	if d, ok := errors.AsType[*mapstructure.DecodeError](err); ok {
		err = d.Unwrap()
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// normalize brings values with several spellings into one form.
func (c *Config) normalize() {
	c.Auth.Keys = slices.DeleteFunc(c.Auth.Keys, func(k core.Secret) bool { return k == "" })
	for i, id := range c.Auth.Operations {
		c.Auth.Operations[i] = OperationID(id)
	}
	limits := make(map[string]core.RateLimit, len(c.Limits.Operations))
	for id, limit := range c.Limits.Operations {
		if _, set := limits[id]; !set || OperationID(id) != id {
			limits[OperationID(id)] = limit // a variable, spelt with underscores, overrides the default
		}
	}
	c.Limits.Operations = limits
	for section, base := range c.Endpoints.BaseURLs {
		if d, known := findSection(section); known {
			provider.SetBaseURL(c.Providers[d.Name], base)
		}
	}
}
