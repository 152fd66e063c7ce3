package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"

	"causeway/core"
)

// renderings formats a value in every way that could leak it: fmt verbs, JSON, a log entry, an error.
func renderings(t interface{ Fatal(...any) }, v any) []string {
	var out []string
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "%X", "%d", "%10s"} {
		out = append(out, fmt.Sprintf(verb, v))
	}
	text, err := json.Marshal(map[string]any{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	line, err := encoder.EncodeEntry(zapcore.Entry{}, []zapcore.Field{zap.Any("v", v), zap.Reflect("r", v)})
	if err != nil {
		t.Fatal(err)
	}
	wrapped := fmt.Errorf("resolve %v: %w", v, core.Errorf(core.NotFound, "no %s", v))
	return append(out, string(text), line.String(), wrapped.Error())
}

func TestPrivate_Masked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Z][A-Za-z0-9 ]{9,40}[0-9]`).Draw(t, "value")
		inside := struct{ Holder core.Private }{core.Private(value)}
		for _, text := range append(renderings(t, core.Private(value)), renderings(t, inside)...) {
			if strings.Contains(text, value) || strings.Contains(text, fmt.Sprintf("%x", value)) {
				t.Fatalf("%q contains %q", text, value)
			}
		}
		if core.Private(value).Reveal() != value {
			t.Fatalf("Reveal: got %q, want %q", core.Private(value).Reveal(), value)
		}
	})
}

func TestPrivate_String(t *testing.T) {
	t.Parallel()
	for value, want := range map[core.Private]string{
		"": "", "1": "****", "123456789": "****", "0123456789": "01****89", "Ọládéjì Test": "Ọl****st",
	} {
		if got := value.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSecret_Redacted(t *testing.T) {
	t.Parallel()
	const secret = "sk_live_d41d8cd98f00b204"
	for _, text := range append(renderings(t, core.Secret(secret)), renderings(t, map[string]core.Secret{"NG": secret})...) {
		if strings.Contains(text, "sk_live") || strings.Contains(text, "d41d8") {
			t.Errorf("%q contains the secret", text)
		}
	}
	if got := fmt.Sprint(core.Secret("")); got != "" {
		t.Errorf("empty secret: got %q, want an empty string", got)
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"GTBINGLA": `"GTBINGLA"`, "": `""`, "0123456789": "(a value with 10 digits)", "01-234567x": "(a value with 8 digits and 2 other characters)",
		strings.Repeat("a", 40): `"` + strings.Repeat("a", 32) + `…"`, "٠١٢٣٤٥٦": "(a value with 0 digits and 7 other characters)",
	} {
		if got := core.Quoted(" " + code + "\t"); got != want {
			t.Errorf("%q: got %s, want %s", code, got, want)
		}
	}
}
