package journal_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/simulator/journal"
)

// required are the members that HTTP Archive 1.2 demands, with their kinds; a dot is the object itself, brackets are each item of a list.
var required = map[string]map[string]string{
	"log":                            {"version": "string", "creator": "object", "entries": "list"},
	"log.creator":                    {"name": "string", "version": "string"},
	"log.entries[]":                  {"startedDateTime": "string", "time": "number", "request": "object", "response": "object", "cache": "object", "timings": "object"},
	"log.entries[].timings":          {"send": "number", "wait": "number", "receive": "number"},
	"log.entries[].request":          {"method": "string", "url": "string", "httpVersion": "string", "cookies": "list", "headers": "list", "queryString": "list", "headersSize": "number", "bodySize": "number"},
	"log.entries[].request.postData": {"mimeType": "string", "params": "list", "text": "string"},
	"log.entries[].response": {
		"status": "number", "statusText": "string", "httpVersion": "string", "cookies": "list", "headers": "list", "content": "object",
		"redirectURL": "string", "headersSize": "number", "bodySize": "number",
	},
	"log.entries[].response.content":      {"size": "number", "mimeType": "string"},
	"log.entries[].request.headers[]":     {"name": "string", "value": "string"},
	"log.entries[].request.queryString[]": {"name": "string", "value": "string"},
	"log.entries[].response.headers[]":    {"name": "string", "value": "string"},
}

// allowed are the members that it knows besides.
var allowed = []string{"log", "comment", "postData"}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", v)
}

// check walks through an archive and says what the specification would.
func check(t *testing.T, place string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			check(t, place+"[]", item)
		}
	case map[string]any:
		for name, want := range required[place] {
			if got := kind(v[name]); got != want {
				t.Errorf("%s.%s is a %s, want a %s", place, name, got, want)
			}
		}
		for name, inner := range v {
			if strings.HasPrefix(name, "_") {
				continue
			}
			if _, known := required[place][name]; !known && !slices.Contains(allowed, name) {
				t.Errorf("%s.%s is not of the specification", place, name)
			}
			check(t, strings.TrimPrefix(place+"."+name, "."), inner)
		}
	}
}

func TestTheArchiveIsValid(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	record(j, "a", request("OPTIONS", "/v1/x"), "no JSON", 204)
	j.Begin("b", request("GET", "/v1/x")).End("", journal.Answer{}) // the connection ended without an answer
	file, err := journal.HAR(append(find(t, j, journal.Match{}), find(t, j, journal.Match{Control: true})...), hosts, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "journal.har", file)
	var archive map[string]any
	if err := json.Unmarshal(file, &archive); err != nil {
		t.Fatal(err)
	}
	check(t, "", archive)
	log, _ := archive["log"].(map[string]any)
	list, _ := log["entries"].([]any)
	if len(list) != 7 {
		t.Fatalf("got %d entries", len(list))
	}
	for _, item := range list {
		entry, _ := item.(map[string]any)
		began, _ := entry["startedDateTime"].(string)
		if _, err := time.Parse(time.RFC3339Nano, began); err != nil {
			t.Error(err)
		}
		request, _ := entry["request"].(map[string]any)
		target, _ := request["url"].(string)
		if u, err := url.Parse(target); err != nil || !u.IsAbs() {
			t.Errorf("%q is no address: %v", target, err)
		}
	}
	if empty, err := journal.HAR(nil, hosts, ""); err != nil || !strings.Contains(string(empty), `"entries": []`) {
		t.Errorf("got %s, %v", empty, err)
	}
}

func TestACommandForTheShell(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	record(j, "a", request("DELETE", "/v1/it's?x=$(y)"), "no JSON", 404)
	record(j, "a", request("OPTIONS", "*"), "", 204)
	record(j, "a", request("HEAD", "/v1/pairs"), "", 200)
	record(j, "a", request("GET", "/v1/pairs"), "{}", 200)
	record(j, "a", request("POST", "/v1/validate"), "", 400)
	record(j, "a", request("PUT", "/v1/%1b%5B31mabcdef%C2%9B"), `{"a":"\u009b1;31mabcdef'`+"\u009b"+`"}`, 404)
	text := ""
	for _, e := range append(find(t, j, journal.Match{}), find(t, j, journal.Match{Control: true})...) {
		text += e.Curl(hosts)
	}
	golden(t, "curl.sh", []byte(text))
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }); i >= 0 {
		t.Errorf("a control character at byte %d", i)
	}
}

func TestAShellReadsTheCommandAsItIsMeant(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "resolve-account", request("POST", resolvePath+"?sort=asc", "Accept", `a'"$(id)`+"`id`\\"), `{"bank_code":"it's $HOME; \"x\""}`, 200)
	e := find(t, j, journal.Match{})[0]
	out, err := exec.Command("sh", "-c", `curl() { printf '<%s>' "$@"; }; `+e.Curl(hosts)).CombinedOutput()
	want := `<http://localhost:8080` + resolvePath + `?sort=asc><-H><Accept: a'"$(id)` + "`id`\\" + `><--data-raw><{"bank_code":"it****x\""}>`
	e2, err2 := exec.Command("sh", "-n", "-c", e.Curl(hosts)).CombinedOutput()
	if err != nil || err2 != nil || len(e2) > 0 {
		t.Fatalf("%s %v %s %v", out, err, e2, err2)
	}
	_, command, commented := strings.Cut(e.Curl(hosts), "\n")
	out, err = exec.Command("sh", "-c", `curl() { printf '<%s>' "$@"; }; `+command).CombinedOutput()
	if err != nil || string(out) != want || !commented {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
}
