package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/httpapi/apierror"
	"causeway/core/addresses"
)

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
