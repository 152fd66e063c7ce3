package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/upstream"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/core/recipients"
)

// providerAnswer is what one provider says about an account.
type providerAnswer struct {
	Provider string `json:"provider"`
	Outcome  string `json:"outcome"` // found, match, no_match, not_found, closed, doubtful, cannot_tell
	Status   int    `json:"status,omitempty"`
	Millis   int64  `json:"ms"`
	Name     string `json:"name,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

// resolveOptions are the flags of doctor resolve.
type resolveOptions struct {
	request  recipients.Request
	account  string
	name     string
	document string
	show     bool
}

func doctorResolveCommand() *cobra.Command {
	var o resolveOptions
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Ask every provider that could answer about one account",
		Long: `Looks up one account at every configured provider that supports it, side by side, and prints the HTTP status,
the outcome and the time of each. It bypasses the cache, the guard and the audit log, and providers may charge for
each lookup. Names are masked unless --show is given.

Exit code: 0 a provider was certain, 1 none was, 2 usage error.`,
		Example: "  causeway doctor resolve --country NG --bank 058 --account 0123456789\n" +
			"  causeway doctor resolve --country KE --channel mobile_money --account 0712345678 --show",
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTimeout)
			defer cancel()
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			answers, err := resolveEverywhere(ctx, cfg, app.NewEnvironment(nil), o)
			if err != nil {
				return err
			}
			t := Table{Head: []string{"PROVIDER", "OUTCOME", "STATUS", "MS", "NAME", "DETAIL"}}
			for _, a := range answers {
				status := ""
				if a.Status != 0 {
					status = strconv.Itoa(a.Status)
				}
				t.Row(a.Provider, a.Outcome, status, a.Millis, a.Name, a.Detail)
			}
			if err := t.Print(cmd, map[string]any{"answers": answers}); err != nil {
				return err
			}
			if !slices.ContainsFunc(answers, providerAnswer.certain) {
				return &ExitError{exitFail, errors.New("no provider was certain")}
			}
			return nil
		},
	}
	SettingFlags(cmd.Flags())
	OutputFlag(cmd.Flags())
	WideFlag(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&o.request.Country, "country", "", "country code, such as NG")
	f.StringVar(&o.request.Currency, "currency", "", "payout currency (default: the usual one of the country)")
	f.StringVar(&o.request.Channel, "channel", string(core.BankTransfer), "payout channel")
	f.StringVar(&o.request.BankCode, "bank", "", "code of the institution")
	f.StringVar(&o.account, "account", "", "account or phone number")
	f.StringVar(&o.name, "name", "", "expected holder, where documents are confirmed")
	f.StringVar(&o.request.DocumentType, "document-type", "", "type of the holder's document, where one is confirmed")
	f.StringVar(&o.document, "document", "", "number of the holder's document, where documents are confirmed")
	f.BoolVar(&o.show, "show", false, "print names unmasked")
	return cmd
}

func (a providerAnswer) certain() bool {
	return slices.Contains([]string{"found", "match", "no_match", "not_found", "closed"}, a.Outcome)
}

// resolveEverywhere looks up an account at all providers that support it.
func resolveEverywhere(
	ctx context.Context, cfg config.Config, env app.Environment, o resolveOptions,
) ([]providerAnswer, error) {
	if cfg.Mode != config.Production {
		return nil, UsageError("a sandbox has simulated providers only; run with --mode production")
	}
	world, catalog, err := newWorld(cfg, env, app.Shared{Tries: recordStatus})
	if err != nil {
		return nil, err
	}
	world.Banks.Tick(ctx) // some providers have their own bank codes
	o.request.AccountNumber, o.request.Claimed, o.request.Document =
		core.Private(o.account), core.Private(o.name), core.Private(o.document)
	for _, c := range catalog.Countries {
		if strings.EqualFold(c.Code, o.request.Country) && o.request.Currency == "" {
			o.request.Currency = c.Currencies[0]
		}
	}
	q, claim, err := world.Recipients.Query(o.request)
	if err != nil {
		return nil, UsageError("%s", err)
	}
	lookups, err := newLookups(world.Providers, q, claim)
	if err != nil {
		return nil, err
	}
	answers := make([]providerAnswer, len(lookups))
	var work sync.WaitGroup
	for i, l := range lookups {
		work.Go(func() { answers[i] = l.run(ctx, o.show) })
	}
	work.Wait()
	for i, a := range answers {
		missing := a.Outcome == "not_found" || a.Outcome == "closed"
		if missing && q.Bank.Code != "" && world.Banks.Awaits(a.Provider, q.Country) {
			answers[i].Outcome = "doubtful"
			answers[i].Detail = "its list of institutions could not be read, so that it may not know this one"
		}
	}
	slices.SortFunc(answers, func(a, b providerAnswer) int { return cmp.Compare(a.Provider, b.Provider) })
	return answers, nil
}

// lookup is a request to one provider. It returns an outcome and the name of the holder, if the provider tells it.
type lookup struct {
	provider string
	call     func(context.Context) (outcome string, holder core.Private, err error)
}

// newLookups returns the lookups of the providers that support an account.
func newLookups(providers app.Providers, q core.AccountQuery, claim core.HolderClaim) ([]lookup, error) {
	var out []lookup
	for _, r := range providers.Resolvers {
		if r.Resolves(q.Country, q.Channel, q.Bank) && !q.Bank.UnlistedBy(r.Name()) {
			out = append(out, lookup{r.Name(), func(ctx context.Context) (string, core.Private, error) {
				holder, err := r.Resolve(ctx, q)
				return "found", holder, err
			}})
		}
	}
	for _, c := range providers.Confirmers {
		if !c.Confirms(q.Country, q.Channel, q.Bank) || q.Bank.UnlistedBy(c.Name()) {
			continue
		}
		if claim.Name == "" || claim.Document.Number == "" {
			return nil, UsageError("%s compares a document: give --name, --document-type and --document", c.Name())
		}
		out = append(out, lookup{c.Name(), func(ctx context.Context) (string, core.Private, error) {
			match, err := c.Confirm(ctx, q, claim)
			return string(match), "", err
		}})
	}
	if len(out) == 0 {
		return nil, UsageError("no configured provider supports accounts of %s by %s at this bank", q.Country, q.Channel)
	}
	return out, nil
}

func (l lookup) run(ctx context.Context, show bool) providerAnswer {
	status, started := new(int), time.Now()
	outcome, holder, err := l.call(context.WithValue(ctx, statusKey{}, status))
	a := judgeAnswer(outcome, err)
	a.Provider, a.Status, a.Millis, a.Name = l.provider, *status, time.Since(started).Milliseconds(), holder.String()
	if show {
		a.Name = holder.Reveal()
	}
	return a
}

// judgeAnswer maps the error of a provider to an outcome. outcome applies if there is none. The error of an adapter
// contains no name and no number.
func judgeAnswer(outcome string, err error) providerAnswer {
	e, _ := errors.AsType[*core.Error](err)
	failure, failed := errors.AsType[*upstream.Failure](err)
	switch {
	case err == nil:
		return providerAnswer{Outcome: outcome}
	case e != nil && e.Code == core.NotFound && e.Absence == core.ClosedAccount:
		return providerAnswer{Outcome: "closed"}
	case e != nil && e.Code == core.NotFound && e.Absence != "":
		return providerAnswer{Outcome: "doubtful", Detail: "the same text is used for outages"}
	case e != nil && e.Code == core.NotFound:
		return providerAnswer{Outcome: "not_found"}
	case failed:
		return providerAnswer{Outcome: "cannot_tell", Detail: failure.Error()}
	default:
		return providerAnswer{Outcome: "cannot_tell"}
	}
}

type statusKey struct{}

// recordStatus stores the status of the last response to a lookup.
func recordStatus(ctx context.Context, a upstream.Attempt) {
	if status, ok := ctx.Value(statusKey{}).(*int); ok {
		*status = a.Status
	}
}
