package httpapi

import "net/http"

// ChooseCoding is chooseCoding, by name.
func ChooseCoding(accept ...string) string {
	return [...]string{"identity", "gzip", "zstd"}[chooseCoding(accept, zstandard)]
}

// ChooseGzip is chooseCoding where there is no zstd.
func ChooseGzip(accept ...string) string {
	return [...]string{"identity", "gzip"}[chooseCoding(accept, gzipped)]
}

// WantsProblem is wantsProblem.
func WantsProblem(accept ...string) bool { return wantsProblem(accept) }

// ErrorNames are all names of errors.
func ErrorNames() []string {
	var names []string
	for name := range errorKinds {
		names = append(names, string(name))
	}
	return names
}

// Wrapped is the ResponseWriter that a handler behind the API sees.
func Wrapped(w http.ResponseWriter) http.ResponseWriter {
	return &exchange{w: w, r: &http.Request{Method: http.MethodGet}}
}

// HoldPacker keeps the handler's packer busy until it is released.
func HoldPacker(h http.Handler) (release func()) {
	h.(*API).packer.mu.Lock()
	return h.(*API).packer.mu.Unlock
}

// The limits that tests go to.
const (
	BodyDeadline = bodyDeadline
	ShelfRoom    = shelfRoom
)
