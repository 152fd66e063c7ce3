package operator

import (
	"net/http"
	"net/http/pprof"
)

const profilesPath = "/debug/pprof/"

// profiles serves the profiles of the Go runtime.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(profilesPath, pprof.Index)
	mux.HandleFunc(profilesPath+"cmdline", pprof.Cmdline)
	mux.HandleFunc(profilesPath+"profile", pprof.Profile)
	mux.HandleFunc(profilesPath+"symbol", pprof.Symbol)
	mux.HandleFunc(profilesPath+"trace", pprof.Trace)
	return mux
}

// sameOrigin refuses requests that a browser sends on behalf of a page of another origin.
// http.CrossOriginProtection exempts GET, which profiles use, because GET has no effect; but
// recording a profile takes CPU time.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checked := *r
		checked.Method = http.MethodPost
		if err := protection.Check(&checked); err != nil {
			WriteReply(w, http.StatusForbidden, "refused", "profiles are not served to pages of other origins; "+
				"open the page directly or use go tool pprof")
			return
		}
		next.ServeHTTP(w, r)
	})
}
