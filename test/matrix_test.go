package test_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/simulator/accounts"
	simulatedafriex "causeway/simulator/wire/afriex"
	simulatedbusha "causeway/simulator/wire/busha"
	simulateddaraja "causeway/simulator/wire/daraja"
	simulatedflutterwave "causeway/simulator/wire/flutterwave"
	simulatedkorapay "causeway/simulator/wire/korapay"
	simulatedmonnify "causeway/simulator/wire/monnify"
	simulatedopenexchangerates "causeway/simulator/wire/openexchangerates"
	simulatedpaystack "causeway/simulator/wire/paystack"
	"causeway/simulator/world"
	"causeway/test/driver"
	"causeway/test/faults"
)

// line is a provider with one place where the next provider takes over and one where there is no
// other provider.
type line struct {
	provider, next string
	first, alone   where
	half           int // of the faults at alone: 1 or 2; 0: all of them
}

// lines returns the lines of each process. Those of one process differ in their places.
func lines() [][]line {
	banked := where{"NG", "NGN", "bank_transfer", "000013", ""}
	wallet := where{"NG", "NGN", "mobile_money", "000015", ""}
	kenya, uganda := where{"KE", "KES", "mobile_money", "MPESA", "+254"}, where{"UG", "UGX", "mobile_money", "MTN", "+256"}
	return [][]line{
		{
			{"paystack", "flutterwave", banked, wallet, 0},
			{"daraja", "busha", where{"KE", "KES", "pay_bill", "", ""}, where{"KE", "KES", "till", "", ""}, 0},
		},
		{
			{"flutterwave", "paystack", banked, wallet, 0},
			{"afriex", "busha", kenya, uganda, 0},
		},
		{{"korapay", "monnify", banked, wallet, 0}},
		{{"monnify", "korapay", banked, wallet, 0}},
		// Busha's limit of 100 calls a minute applies. Each of these processes sends it fewer.
		{{"busha", "paystack", banked, where{}, 0}},
		{{"busha", "", where{}, wallet, 1}},
		{{"busha", "", where{}, wallet, 2}},
	}
}

// inTime bounds a response on a busy machine. The contract allows eight seconds, which the tests of
// cmd/causeway/app check with virtual time.
const inTime = time.Minute

// trial is one fault of one provider for one kind of account.
type trial struct {
	title     string
	line      line
	at        where
	alone     bool
	plot      plot
	name      string // of the holder
	process   *driver.Instance
	saboteurs map[string]*saboteur

	wrong []string
}

// TestResolve_ProviderFaults runs production-mode processes over TCP against providers with every
// known fault. If another provider is configured, it resolves the account. Otherwise the response
// is 503, never "not found". The caches are on: as soon as the provider recovers, the account
// resolves.
func TestResolve_ProviderFaults(t *testing.T) {
	t.Parallel()
	trials := staged(t, newWorld(t))
	var running sync.WaitGroup
	turns := make(chan struct{}, 4) // with those that hang, fewer than the failures in a row that open a breaker
	for _, x := range trials {
		switch x.plot.fault.Kind {
		case faults.Hangs, faults.Late:
			running.Go(func() { x.run(t) })
		default:
			running.Go(func() {
				turns <- struct{}{}
				x.run(t)
				<-turns
			})
		}
	}
	running.Wait()
	processes := map[*driver.Instance][]*trial{}
	for _, x := range trials {
		processes[x.process] = append(processes[x.process], x)
	}
	for process, trials := range processes {
		t.Run("privacy/"+trials[0].line.provider, func(t *testing.T) { nothingPrivate(t, process, trials) })
	}
	for _, x := range trials {
		t.Run(x.title, func(t *testing.T) {
			for _, fault := range x.wrong {
				t.Error(fault)
			}
		})
	}
}

// staged starts the processes and returns what is to be tried.
func staged(t *testing.T, w *world.World) []*trial {
	t.Helper()
	all := lines()
	parts := make([][]*trial, len(all))
	var starting sync.WaitGroup
	for i, part := range all {
		starting.Go(func() { parts[i] = stage(t, w, part) })
	}
	starting.Wait()
	return slices.Concat(parts...)
}

// stage starts a process for some lines.
func stage(t *testing.T, w *world.World, lines []line) []*trial {
	t.Helper()
	saboteurs, gates := map[string]*saboteur{}, gates{}
	for _, provider := range accountProviders {
		s := &saboteur{provider: provider, plots: map[string]plot{}, heard: map[string]int{}}
		saboteurs[provider] = s
		gates[provider] = func(honest http.Handler) http.Handler { s.honest = honest; return s }
	}
	env := append(served(t, w, accountProviders, gates), "CAUSEWAY_RESOLUTION__GUARD__MODE=off", "CAUSEWAY_LOG__LEVEL=debug")
	for _, l := range lines {
		if l.first.country != "" {
			env = append(env, l.first.route(l.provider, l.next))
		}
		if l.alone.country != "" {
			env = append(env, l.alone.route(l.provider))
		}
	}
	process := startLoaded(t, append(production(), env...)...)
	var trials []*trial
	for n, l := range lines {
		for i, at := range []where{l.first, l.alone} {
			if at.country == "" {
				continue
			}
			for k, p := range plots(w, at, 100*(2*n+i)) {
				if i == 0 && k%2 == 1 || i == 1 && l.half > 0 && k%2 != l.half-1 {
					continue // half of the faults are enough to show that the next provider takes over
				}
				holder := at.holders(w)(p.number)
				title := fmt.Sprintf("%s/%s %s/%s/%s", l.provider, at.country, at.channel, []string{"first", "alone"}[i], p.fault.Name)
				trials = append(trials, &trial{
					title: title, line: l, at: at, alone: i == 1, plot: p, name: holder.Name, process: process, saboteurs: saboteurs,
				})
			}
		}
	}
	return trials
}

// plots gives every fault an account of its own, from a number on.
func plots(w *world.World, at where, from int) []plot {
	holders := at.holders(w)
	var found []string
	none := ""
	for i := 4 * from; len(found) < 2*len(faults.All()) || none == ""; i++ {
		number := at.number(i)
		switch holders(number).Outcome {
		case accounts.Found:
			found = append(found, number)
		case accounts.Unknown:
			none = number
		default:
		}
	}
	var out []plot
	for i, f := range faults.All() {
		out = append(out, plot{fault: f, number: found[2*i], other: found[2*i+1], none: none})
	}
	return out
}

// number makes up an account number.
func (p where) number(i int) string {
	spread := (i + 1) * 7368787 // prime: no two of them lie beside each other
	switch p.country + " " + p.channel {
	case "KE pay_bill", "KE till":
		number := fmt.Sprintf("%06d", 100000+spread%899999)
		if i%10 == 0 {
			return number[:3] + "404" // a magic number: nobody has it
		}
		return number[:3] + fmt.Sprintf("%03d", 600+i%400)
	case "KE mobile_money":
		return fmt.Sprintf("712%06d", spread%1000000)
	case "UG mobile_money":
		return fmt.Sprintf("772%06d", spread%1000000)
	case "GH mobile_money":
		return fmt.Sprintf("241%06d", spread%1000000)
	default:
		return fmt.Sprintf("3%09d", spread%1000000000)
	}
}

// ask asks the process, and notes what is wrong with the answer whatever the fault.
func (x *trial) ask(t *testing.T) driver.Reply {
	t.Helper()
	began := time.Now()
	r := driver.Do(t, http.MethodPost, x.process.API+resolvePath, x.at.question(x.plot.number), "Authorization", "Bearer "+bearer)
	if took := time.Since(began); took >= inTime {
		x.fault("answered after %s; eight seconds are the limit", took)
	}
	if r.Status == http.StatusNotFound {
		x.fault("an account that exists is said not to: %s", r.Body)
	}
	var said struct {
		Data struct {
			Name string `json:"account_name"`
		} `json:"data"`
	}
	if r.Status == http.StatusOK {
		if err := json.Unmarshal(r.Body, &said); err != nil || said.Data.Name != x.name {
			x.fault("names %q, want %q", said.Data.Name, x.name)
		}
	}
	if r.Status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
		x.fault("503 without Retry-After: %s", r.Body)
	}
	for _, leak := range []string{"127.0.0.1", x.line.provider, x.name, x.plot.number, "oops", "Invalid key", faults.Unseen, "Test mode", faults.Nobody} {
		if r.Status != http.StatusOK && strings.Contains(strings.ToLower(string(r.Body)), strings.ToLower(leak)) {
			x.fault("an error gives away %q: %s", leak, r.Body)
		}
	}
	return r
}

func (x *trial) fault(format string, args ...any) {
	x.wrong = append(x.wrong, fmt.Sprintf(format, args...))
}

// run plays the fault, twice, and asks again after it is over. An honest response before it keeps the
// provider's circuit breaker closed.
func (x *trial) run(t *testing.T) {
	t.Helper()
	provider := x.saboteurs[x.line.provider]
	provider.watch(x.plot.number)
	if !x.alone {
		x.saboteurs[x.line.next].watch(x.plot.number)
	}
	driver.Do(t, http.MethodPost, x.process.API+resolvePath, x.at.question(x.plot.other), "Authorization", "Bearer "+bearer)
	provider.lay(x.plot)
	var r driver.Reply
	if x.succeeds() {
		r = x.resolve(t)
	} else {
		r = x.ask(t)
	}
	if provider.asked(x.plot.number) == 0 {
		x.fault("the provider was not asked")
	}
	var want []int
	switch {
	case x.succeeds():
		want = []int{http.StatusOK}
	case x.plot.fault.Kind == faults.Perhaps:
		want = []int{http.StatusOK, http.StatusServiceUnavailable}
	default:
		want = []int{http.StatusServiceUnavailable}
	}
	if !slices.Contains(want, r.Status) {
		x.fault("%d %s, want %d", r.Status, r.Body, want)
	}
	if !x.alone && slices.Contains([]faults.Kind{faults.Fatal, faults.Hangs, faults.Throttles}, x.plot.fault.Kind) && x.saboteurs[x.line.next].asked(x.plot.number) == 0 {
		x.fault("the next provider was not asked")
	}
	provider.lift(x.plot.number)
	if r := x.resolve(t); r.Status != http.StatusOK {
		x.fault("after the fault: %d %s", r.Status, r.Body)
	}
}

// succeeds reports whether the account resolves despite the fault.
func (x *trial) succeeds() bool {
	return !x.alone || x.plot.fault.Kind == faults.Harmless || x.plot.fault.Kind == faults.Late
}

// resolve sends a request that must succeed. A busy machine may delay an honest response beyond
// upstream.timeout, so it tries again, unless the process failed without calling a provider.
func (x *trial) resolve(t *testing.T) (r driver.Reply) {
	t.Helper()
	calls := func() (n int) {
		for _, s := range x.saboteurs {
			n += s.asked(x.plot.number)
		}
		return n
	}
	for range 3 {
		before := calls()
		if r = x.ask(t); r.Status == http.StatusOK || calls() == before {
			break
		}
	}
	return r
}

// nothingPrivate searches the log at level debug, the metrics and the operator's pages for account
// numbers, names and keys.
func nothingPrivate(t *testing.T, process *driver.Instance, trials []*trial) {
	t.Helper()
	given := map[string]string{}
	for _, page := range []string{"/metrics", "/debug/banks", "/debug/prices", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/readyz"} {
		r := driver.Get(t, process.Operator+page)
		if len(r.Body) < 10 {
			t.Errorf("%s: %d, %d bytes", page, r.Status, len(r.Body))
		}
		given[page] = string(r.Body)
	}
	given["the log"] = process.Log()
	private := []string{faults.Unseen, faults.Nobody, simulatedpaystack.Key("NG"), simulatedflutterwave.Key, simulatedkorapay.Key, simulatedmonnify.SecretKey, simulatedafriex.Key, simulateddaraja.Secret, simulatedbusha.Key, simulatedopenexchangerates.AppID}
	short := map[string]bool{} // numbers that may be part of another number; only whole words count
	for _, x := range trials {
		private = append(private, x.name)
		if len(x.plot.number) < 9 {
			short[x.plot.number], short[x.plot.other] = true, true
			continue
		}
		private = append(private, x.plot.number, x.plot.other, x.plot.none)
	}
	for where, text := range given {
		for _, value := range private {
			if i := strings.Index(text, value); i >= 0 {
				t.Errorf("%s has %q: …%s…", where, value, text[max(0, i-100):min(len(text), i+100)])
			}
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '.' && !alphanumeric(r) }) {
			if number, _, _ := strings.Cut(word, "."); short[number] {
				t.Errorf("%s has %s", where, number)
			}
		}
	}
	for _, want := range []string{`"audit"`, `"resolve-account"`} {
		if !strings.Contains(given["the log"], want) {
			t.Errorf("the log has no %s, so the test checks nothing", want)
		}
	}
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}
