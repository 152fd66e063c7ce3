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
