package recipients_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// journal notes who is asked, in order.
type journal struct {
	mu    sync.Mutex
	names []string
}

func (j *journal) note(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.names = append(j.names, name)
}

func (j *journal) read() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.names)
}

// noted is a resolver that notes that it is asked.
func (j *journal) noted(name string, holder core.Private, err error) resolver {
	return resolver{name: name, resolves: always, resolve: func(context.Context, core.AccountQuery) (core.Private, error) {
		j.note(name)
		return holder, err
	}}
}

var requestsByPlace = map[string]recipients.Request{
	"ng_bank_transfer": nigerian(),
	"ng_mobile_money":  {Currency: "NGN", Country: "NG", Channel: "mobile_money", BankCode: "100004", AccountNumber: "8031234567"},
	"gh_bank_transfer": {Currency: "GHS", Country: "GH", Channel: "bank_transfer", BankCode: "030100", AccountNumber: "0031625807099"},
	"gh_mobile_money":  {Currency: "GHS", Country: "GH", Channel: "mobile_money", BankCode: "MTN", AccountNumber: "0241234567"},
	"ke_mobile_money":  {Currency: "KES", Country: "KE", Channel: "mobile_money", BankCode: "MPESA", AccountNumber: "0712345678"},
	"ke_bank_transfer": {Currency: "KES", Country: "KE", Channel: "bank_transfer", BankCode: "68", AccountNumber: "1234567890"},
	"ke_till":          {Currency: "KES", Country: "KE", Channel: "till", AccountNumber: "174379"},
	"ke_pay_bill":      {Currency: "KES", Country: "KE", Channel: "pay_bill", AccountNumber: "174379"},
	"ug_mobile_money":  {Currency: "UGX", Country: "UG", Channel: "mobile_money", BankCode: "MTN", AccountNumber: "0772123456"},
	"ci_mobile_money":  {Currency: "XOF", Country: "CI", Channel: "mobile_money", BankCode: "ORANGE", AccountNumber: "0701234567"},
}

// Providers are asked by their places' routes, in whatever order they were given.
func TestRoutes(t *testing.T) {
	t.Parallel()
	all := []string{"paystack", "flutterwave", "monnify", "korapay", "afriex", "daraja", "busha"}
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(names, n) })
	}
	nigeria := []string{"paystack", "flutterwave", "monnify", "korapay", "afriex", "busha", "daraja", "zz"}
	ghana := []string{"paystack", "afriex", "korapay", "busha", "daraja", "flutterwave", "monnify", "zz"}
	wallet := append([]string{"afriex", "korapay", "busha"}, "daraja", "flutterwave", "monnify", "paystack", "zz")
	till := append([]string{"daraja", "busha"}, "afriex", "flutterwave", "korapay", "monnify", "paystack", "zz")
	for _, c := range []struct {
		name   string
		place  string
		given  []string
		routes map[string][]string
		want   []string
	}{
		{"Nigeria's banks", "ng_bank_transfer", append(without(), "zz"), nil, nigeria},
		{"Nigeria's wallets", "ng_mobile_money", append(without(), "zz"), nil, nigeria},
		{"Ghana's banks", "gh_bank_transfer", append(without(), "zz"), nil, ghana},
		{"Ghana's wallets", "gh_mobile_money", append(without(), "zz"), nil, ghana},
		{"Kenya's wallets", "ke_mobile_money", append(without(), "zz"), nil, wallet},
		{"Uganda's wallets", "ug_mobile_money", append(without(), "zz"), nil, wallet},
		{"Ivorian wallets", "ci_mobile_money", append(without(), "zz"), nil, wallet},
		{"tills", "ke_till", append(without(), "zz"), nil, till},
		{"pay bills", "ke_pay_bill", append(without(), "zz"), nil, till},
		{"a place without an order of its own", "ke_bank_transfer", append(without(), "zz"), nil, append(slices.Clone(all), "zz")},
		{"those without credentials are absent", "ng_bank_transfer", []string{"busha", "korapay"}, nil, []string{"korapay", "busha"}},
		{"a configured route names all that are asked", "ng_bank_transfer", all, map[string][]string{"ng_bank_transfer": {"busha", "paystack"}}, []string{"busha", "paystack"}},
		{"and may name one without credentials", "ng_bank_transfer", []string{"paystack", "busha"}, map[string][]string{"ng_bank_transfer": {"monnify", "busha"}}, []string{"busha"}},
		{"in any case", "ng_bank_transfer", all, map[string][]string{" NG_Bank_Transfer": {" Busha "}}, []string{"busha"}},
		{"another place's route is another's", "ng_bank_transfer", []string{"busha", "paystack"}, map[string][]string{"gh_bank_transfer": {"busha"}}, []string{"paystack", "busha"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := &journal{}
			var resolvers []ports.AccountResolver
			for i := range c.given { // in the reverse order
				resolvers = append(resolvers, j.noted(c.given[len(c.given)-1-i], "", core.Errorf(core.Unavailable, "down")))
			}
			cfg := configOf(countries(), resolvers...)
			cfg.Settings.Routes = c.routes
			_, err := open(t, cfg).Resolve(t.Context(), requestsByPlace[c.place])
			if core.CodeOf(err) != core.Unavailable || !slices.Equal(j.read(), c.want) {
				t.Errorf("asked %v (%v), want %v", j.read(), err, c.want)
			}
		})
	}
}

// A route that leaves nobody is told at the question, not at the start: credentials may come later.
func TestARouteWithoutAnybody(t *testing.T) {
	t.Parallel()
	cfg := configOf(countries(), unasked(t))
	cfg.Settings.Routes = map[string][]string{"ng_bank_transfer": {"monnify"}}
	_, err := open(t, cfg).Resolve(t.Context(), nigerian())
	if got := fieldErrors(t, err); got["channel"] == "" {
		t.Errorf("got %v, want the channel", err)
	}
}

func TestSettingsFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		change func(*recipients.Settings)
	}{
		{`resolution.routes.ng_bank_transfer names "paystak", which is not a provider; accepted: paystack, flutterwave, monnify, korapay, afriex, daraja, busha`, func(s *recipients.Settings) {
			s.Routes = map[string][]string{"ng_bank_transfer": {"paystak"}}
		}},
		{`resolution.routes.ng_bank_transfer names "busha" twice`, func(s *recipients.Settings) {
			s.Routes = map[string][]string{"ng_bank_transfer": {"busha", "one", "Busha"}}
		}},
		{"resolution.routes.ng_bank_transfer is empty; accepted: the names of providers", func(s *recipients.Settings) { s.Routes = map[string][]string{"ng_bank_transfer": {}} }},
		{`resolution.routes has "ng_till"; accepted: ci_bank_transfer, ci_mobile_money, gh_bank_transfer, gh_mobile_money, ke_bank_transfer`, func(s *recipients.Settings) {
			s.Routes = map[string][]string{"ng_till": {"busha"}}
		}},
		{`resolution.hedge has "everywhere"; accepted: all, ci_bank_transfer`, func(s *recipients.Settings) { s.Hedge = []string{"all", "everywhere"} }},
		{"resolution.budget is 8.001s; accepted: more than 0s, 8s at most", func(s *recipients.Settings) { s.Budget = 8001e6 }},
		{"privacy.hash_key is too short; accepted: 32 characters or more, or none", func(s *recipients.Settings) { s.Key = "sesame" }},
		{"resolution.cache.found is -1s; accepted: 0s or more", func(s *recipients.Settings) { s.Cache.Found = -1e9 }},
		{"resolution.cache.not_found is -1s; accepted: 0s or more", func(s *recipients.Settings) { s.Cache.NotFound = -1e9 }},
		{`resolution.guard.mode is ""; accepted: off, block, confirm_only`, func(s *recipients.Settings) { s.Guard.Mode = "" }},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			cfg := configOf(countries(), answers("one", "X", nil))
			c.change(&cfg.Settings)
			if _, err := recipients.New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			} else if strings.Contains(err.Error(), "sesame") {
				t.Errorf("%v shows the key", err)
			}
		})
	}
	if err := recipients.Default().Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}
