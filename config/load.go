package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"causeway/adapters/providers/provider"
	"causeway/core"
)

const (
	envPrefix = "CAUSEWAY_"
	envFile   = "CAUSEWAY_CONFIG"    // path of the file, like the flag --config
	envSim    = envPrefix + "SIM_"   // flags of causeway sim
	envServer = envPrefix + "SERVER" // flags of the commands that call a server
	envKey    = envPrefix + "KEY"
	envLevel  = "__"     // CAUSEWAY_LOG__LEVEL is log.level
	envSecret = "_FILE"  // suffix of a variable that names a file with a secret
	maxSecret = 64 << 10 // bytes of such a file
)

// Sources are where settings come from. A later one overrides an earlier one.
type Sources struct {
	File  string            // path of a YAML file; empty: the file that CAUSEWAY_CONFIG names, or none
	Env   []string          // as os.Environ returns it
	Flags map[string]string // by setting, such as "operator_listen"
}

func (s Sources) file() string { return cmp.Or(s.File, s.getenv(envFile)) }

func (s Sources) getenv(name string) string {
	for _, variable := range s.Env {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// Load reads and checks the settings. The error joins all faults; each names the setting, its origin and what is
// accepted, and no secret. If there are faults, the configuration is returned as far as it could be read.
func Load(sources Sources) (Config, error) {
	cfg := Default()
	cfg.sources, cfg.origin = sources, map[string]string{}
	var faults []error
	if path := sources.file(); path != "" {
		faults = append(faults, cfg.readFile(path))
	}
	faults = append(faults, cfg.readEnvironment())
	for _, key := range slices.Sorted(maps.Keys(sources.Flags)) {
		faults = append(faults, cfg.set(key, sources.Flags[key], "flag"))
	}
	if cfg.Mode == Production && cfg.origin["drain.delay"] == "" {
		cfg.Drain.Delay = productionDelay
	}
	if cfg.Mode == Production && cfg.origin["listen"] == "" {
		cfg.Listen = productionListen
	}
	cfg.normalize()
	faults = append(faults, cfg.locate(cfg.check()...))
	faults = flatten(faults...)
	if len(faults) > 0 && (cfg.Catalog.Dir != "" || len(cfg.Pairs.Margins) > 0 || len(cfg.Deposits.Confirmations) > 0) {
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

// readFile sets the settings of a YAML file.
func (c *Config) readFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("configuration file: %w", err)
	}
	var document yaml.Node
	var settings map[string]any // unlike a node, a map refuses other documents and duplicate keys
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil
	} else if err = cmp.Or(err, document.Decode(&settings)); err != nil {
		return fmt.Errorf("configuration file: %s is not YAML: %w", path, err)
	}
	if !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return fmt.Errorf("configuration file: %s has more than one document (---); accepted: one", path)
	}
	return c.readSection(document.Content[0], "", "configuration file "+path)
}

// readSection sets the settings of a mapping whose keys begin with a prefix. Those without a value are ignored.
func (c *Config) readSection(section *yaml.Node, prefix, file string) error {
	var faults []error
	for pair := range slices.Chunk(section.Content, 2) {
		key, origin := prefix+pair[0].Value, fmt.Sprint(file, " line ", pair[0].Line)
		var value any
		switch err := pair[1].Decode(&value); {
		case pair[1].Kind == yaml.MappingNode:
			faults = append(faults, c.readSection(pair[1], key+".", file))
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %s: %w", origin, key, err))
		case value != nil:
			faults = append(faults, c.set(key, value, origin))
		}
	}
	return errors.Join(faults...)
}

// injected matches the variables that Kubernetes sets in pods if a Service is named causeway. CAUSEWAY_PORT is one of
// them if it holds a URL; a number is a mistake of the operator.
var injected = regexp.MustCompile(
	`^CAUSEWAY_(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?=)`)

// readEnvironment sets the settings of variables. CAUSEWAY_X_FILE, where X is a secret, names a file with the value of
// CAUSEWAY_X, as Docker and Kubernetes mount secrets. Faults name the file and nothing of its content.
func (c *Config) readEnvironment() error {
	var faults []error
	for _, variable := range c.sources.Env {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, envSim) || value == "" ||
			slices.Contains([]string{envFile, envServer, envKey}, name) || injected.MatchString(variable) {
			continue
		}
		target, isFile := strings.CutSuffix(name, envSecret)
		if f, known := c.find(keyOf(target)); isFile && known && f.secret() {
			var err error
			if c.sources.getenv(target) != "" {
				err = fmt.Errorf("%s and %s are both set; set one of them", target, name)
			} else if value, err = readSecret(value); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("environment: %w", err))
				continue
			}
			name = target
		}
		faults = append(faults, c.set(keyOf(name), value, "environment"))
	}
	return errors.Join(faults...)
}

// keyOf returns the key that a variable sets.
func keyOf(variable string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), envLevel, ".")
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

// set sets the setting, or the entry of a map, that a key of a source names. Its error shows no secret.
func (c *Config) set(key string, value any, origin string) error {
	f, known := c.find(key)
	if !known {
		return fmt.Errorf("%s: unknown key %q%s", origin, key, suggest(key))
	}
	if name, isEntry := f.entry(key); isEntry && f.member != "" { // environment variables have no hyphens
		key = strings.Replace(key, name, strings.ReplaceAll(name, "_", "-"), 1)
	}
	c.origin[key] = origin
	err := f.decode(key, value)
	_, isEntry := f.entry(key)
	switch {
	case err == nil:
		return nil
	case f.member != "" && !isEntry || f.secret() && f.value.Kind() == reflect.Map && f.member == "":
		return fmt.Errorf("%s: %s has the wrong shape; accepted: one key per name: %s (%s)", origin, key, f.path, f.env())
	case f.secret():
		return fmt.Errorf("%s: %s has the wrong shape; accepted: a text, or a list of texts", origin, key)
	default:
		return fmt.Errorf("%s: %s is %q: %s", origin, key, fmt.Sprint(value), innermost(err))
	}
}

// decodeInto sets what result points to.
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
