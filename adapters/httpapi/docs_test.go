package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"causeway/adapters/httpapi/apierror"
	"causeway/core/addresses"
)

var loads = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

func TestDocs_SecurityPolicy(t *testing.T) {
	t.Parallel()
	page := newWorld(t).get("/docs")
	if page.Code != http.StatusOK || page.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %v", page.Code, page.Header())
	}
	policy := page.Header().Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, rule) {
			t.Errorf("the policy lacks %s: %s", rule, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is unsafe: %s", policy)
	}
}

func TestDocs_Offline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := w.get("/docs").Body.String()
	if regexp.MustCompile(`<script>|<style|style=|\son[a-z]+=|https?://`).MatchString(body) {
		t.Errorf("the page has inline code or loads from elsewhere:\n%s", body)
	}
	links := loads.FindAllStringSubmatch(body, -1)
	if len(links) < 5 {
		t.Fatalf("the page loads only %v", links)
	}
	for _, link := range links {
		rec := w.get(link[1])
		if rec.Code != http.StatusOK || rec.Body.Len() == 0 || rec.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: got %d %v, %d bytes", link[1], rec.Code, rec.Header(), rec.Body.Len())
		}
		if again := w.get(link[1], "If-None-Match: "+rec.Header().Get("Etag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: asked again, got %d", link[1], again.Code)
		}
	}
	script := w.get("/docs/docs.js").Body.String()
	if strings.Contains(script, "://") || !strings.Contains(script, `"/openapi.json"`) {
		t.Error("the script reads another document than ours")
	}
	if rec := w.get("/docs/swagger-ui.js"); rec.Code != http.StatusNotFound {
		t.Errorf("a file that the page does not load: got %d", rec.Code)
	}
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var codes []string
	for name := range apierror.Kinds() {
		codes = append(codes, string(name))
	}
	for code := range addresses.Codes() {
		codes = append(codes, code)
	}
	if len(codes) < 13+24+12 {
		t.Errorf("only %d codes", len(codes))
	}
	for _, code := range codes {
		rec := w.get("/errors/" + code)
		if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "<code>"+code+"</code>") || rec.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: got %d %s", code, rec.Code, rec.Body)
		}
		if sentence, ok := addresses.Explain(code); ok && len(sentence) > 20 && !strings.Contains(rec.Body.String(), sentence[:10]) {
			t.Errorf("%s: the page does not say %q", code, sentence)
		}
	}
	if rec := w.get("/errors/nonsense"); rec.Code != http.StatusNotFound || errorOf(t, rec.Body.Bytes()).Error.Name != "not_found" {
		t.Errorf("an unknown code: got %d %s", rec.Code, rec.Body)
	}
}
