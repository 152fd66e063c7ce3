package httpapi_test

import (
	"strings"
	"testing"

	"causeway/adapters/httpapi"
)

func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                                 "identity",
		"identity":                         "identity",
		"br":                               "identity",
		"gzip":                             "gzip",
		"x-gzip":                           "gzip",
		"GZIP":                             "gzip",
		"zstd":                             "zstd",
		"gzip, deflate":                    "gzip",
		"gzip, deflate, br, zstd":          "zstd",
		"gzip;q=1.0, zstd;q=0.9":           "gzip",
		"gzip;q=0.5,zstd; q=0.500":         "zstd",
		"gzip;q=0":                         "identity",
		"gzip;q=0, *":                      "zstd",
		"*":                                "zstd",
		"*;q=0":                            "identity",
		"*;q=0, gzip":                      "gzip",
		"identity;q=1, gzip;q=0.5":         "identity",
		"identity;q=0.5, gzip;q=0.5":       "gzip",
		"identity;q=0":                     "identity",
		"gzip;q=2":                         "identity",
		"gzip;q=0.0001":                    "identity",
		"gzip;q=-1, zstd;q=.5, gzip;q=0.x": "identity",
		"gzip;level=9;q=0.3":               "gzip",
		" , gzip ,, ":                      "gzip",
		"gzip;q=1.001":                     "identity",
		"deflate, gzip;q=1.0, *;q=0.5":     "gzip",
		"notgzip, zstdx":                   "identity",
	} {
		if got := httpapi.ChooseCoding(accept); got != want {
			t.Errorf("%q: got %s, want %s", accept, got, want)
		}
	}
	if got := httpapi.ChooseCoding(); got != "identity" {
		t.Errorf("no header: got %s", got)
	}
	if got := httpapi.ChooseCoding("br", "gzip"); got != "gzip" {
		t.Errorf("two headers: got %s", got)
	}
	for accept, want := range map[string]string{"gzip, deflate, br, zstd": "gzip", "zstd": "identity", "zstd, gzip;q=0.1": "gzip", "*": "gzip"} {
		if got := httpapi.ChooseGzip(accept); got != want {
			t.Errorf("%q without zstd: got %s, want %s", accept, got, want)
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"", "gzip", "gzip, deflate, br, zstd", "gzip;q=0.5, *;q=0", "zstd;q=,;;==", "*;q=1.000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		coding := httpapi.ChooseCoding(accept)
		if coding == "identity" {
			return
		}
		lower := strings.ToLower(accept)
		if !strings.Contains(lower, coding) && !strings.Contains(lower, "*") {
			t.Errorf("%q: %s was not asked for", accept, coding)
		}
		if got := httpapi.ChooseCoding(accept, "identity;q=1, gzip;q=0, zstd;q=0, *;q=0"); got != "identity" {
			t.Errorf("%q and then nothing but identity: got %s", accept, got)
		}
	})
}

func TestAcceptOfProblems(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/*": false, "application/json": false,
		"application/problem+json": true, "Application/Problem+JSON; charset=utf-8": true,
		"application/problem+json;q=0":                           false,
		"application/json, application/problem+json":             true,
		"application/json, application/problem+json;q=0.9":       false,
		"application/json;q=0.8, application/problem+json;q=0.9": true,
	} {
		if got := httpapi.WantsProblem(accept); got != want {
			t.Errorf("%q: got %t, want %t", accept, got, want)
		}
	}
}
