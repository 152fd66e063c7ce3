package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"sync"
	"time"

	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/ports"
)

// Realm is one world as the API shows it: its services, its time, and what was published there, encoded. A production process has one; a
// sandbox has one for each of its worlds, which share the operations, their documentation and everything that does not differ.
type Realm struct {
	api      *API
	services Services
	clock    core.Clock
	entropy  core.Entropy

	pairs      *pairPages
	banks      *bankPages
	countries  *countryPage
	currencies func() *currencyPage // made when they are asked for first
	limiter    ports.RateLimiter
	enforced   func() bool
	apart      func(r *http.Request) string
	object     func(r *http.Request, operation string) error
}

// Seams are what a realm takes from its world.
type Seams struct {
	Clock   core.Clock
	Entropy core.Entropy // for request ids
	// Object may refuse a question before it is answered, with an error of Refusal or of a core; nil: nobody does. A sandbox
	// plays faults so.
	Object func(r *http.Request, operation string) error
	// Apart tells requests of one caller apart that share nothing about accounts, neither what is remembered nor what is on its way; nil: all share.
	Apart func(r *http.Request) string
	// Limiter counts calls, by the realm's clock; nil: that of Limits does.
	Limiter ports.RateLimiter
	// Enforced says whether limits are counted; nil: they are. A sandbox tells them and counts them where its world asks for it.
	Enforced func() bool
	// Relisted has the realm show the currencies of the last Relist, as the API itself does.
	Relisted bool
}

// Home is the realm of whoever asks the API itself.
func (a *API) Home() *Realm { return a.home }

// In makes a realm of the API. What is published by a service that another realm of the API has too is encoded once.
func (a *API) In(services Services, seams Seams) *Realm {
	r := &Realm{api: a, services: services, clock: seams.Clock, entropy: seams.Entropy, object: seams.Object, limiter: seams.Limiter, enforced: seams.Enforced, apart: seams.Apart}
	if r.limiter == nil {
		r.limiter = a.config.Limits.Limiter
	}
	if home := a.home; home != nil && services.Banks == home.services.Banks {
		r.banks, r.countries = home.banks, home.countries
	} else {
		r.banks, r.countries = &bankPages{packer: a.packer}, &countryPage{realm: r}
		services.Banks.Subscribe(func(list *banks.List) {
			r.banks.publish(list)
			r.countries.publish()
		})
	}
	if home := a.home; seams.Relisted {
		r.currencies = a.present
	} else if home != nil && oneList(services.Currencies, home.services.Currencies) {
		r.currencies = a.listed
	} else {
		r.currencies = sync.OnceValue(func() *currencyPage { return newCurrencyPage(a.packer, services) })
	}
	r.pairs = newPairPages(a, r)
	services.Pairs.Subscribe(func(s *pairs.Snapshot) { r.pairs.publish(s) })
	return r
}

// oneList reports whether two lists, which nobody changes, are one in memory.
func oneList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// ServeHTTP answers one request about the realm's world.
func (r *Realm) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.api.serve(r, w, q) } //nolint:contextcheck // the context is that of the request in the exchange

// Refuse answers a request with an error in the envelope, without asking anybody: for whoever stands before the API and has
// something to say.
func (r *Realm) Refuse(w http.ResponseWriter, q *http.Request, err error) {
	x := r.api.begin(r, w, q)
	defer x.end()
	r.api.problem(x, err)
}

// Refusal is an error of the contract by its name, for those who play one; false for a name that the contract does not have. Its
// message is the usual one, and why it is played, a sentence.
func Refusal(name, why string, retryAfter time.Duration) (error, bool) {
	kind, known := errorKinds[errorName(name)]
	if !known {
		return nil, false
	}
	message := kind.title
	if why != "" {
		message += ". " + why
	}
	f := &failure{name: errorName(name), message: message, retryAfter: retryAfter}
	if f.name == requestValidation {
		f.fields = []core.FieldError{{Field: "sandbox", Reason: cmp.Or(why, message)}}
	}
	return f, true
}

// like gives an error of Refusal what comes beside one that came about by itself: the methods of the path.
func (x *exchange) like(err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok || f.name != methodNotAllowed {
		return err
	}
	played := *f
	played.allow, _ = x.api.methodsOf(x.r)
	return &played
}
