package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// A mood is what a provider does about a question.
type mood string

const (
	tells    mood = "tells"
	unknown  mood = "unknown"
	closed   mood = "closed"
	down     mood = "down"
	throttle mood = "throttled"
	badKey   mood = "bad key"
	odd      mood = "odd"
	nameless mood = "nameless"
	leaves   mood = "cancels by itself"
	hung     mood = "hangs"
	crashes  mood = "panics"
)

func moods() []mood {
	return []mood{tells, unknown, closed, down, throttle, badKey, odd, nameless, leaves, hung, crashes}
}

// sure reports whether a mood settles the question.
func (m mood) sure() bool { return m == tells || m == unknown || m == closed }

// code is what a client gets of a sure one.
func (m mood) code() core.Code {
	if m == tells {
		return ""
	}
	return core.NotFound
}

// holderOf is the one name that a provider may tell of a question.
func holderOf(provider string, q core.AccountQuery) core.Private {
	return core.Private(fmt.Sprintf("%s SAYS %s %s %s %s", provider, q.Country, q.Channel, q.Bank.Code, q.Number.Reveal()))
}

func (m mood) answer(ctx context.Context, provider string, q core.AccountQuery) (core.Private, error) {
	switch m {
	case tells:
		return holderOf(provider, q), nil
	case unknown:
		return "", core.Errorf(core.NotFound, "No account, says %s", provider)
	case closed:
		return "", core.Errorf(core.NotFound, "The account is closed, says %s", provider).Because(core.ClosedAccount)
	case throttle:
		return "", core.Errorf(core.Unavailable, "throttled").Retry(30 * time.Second)
	case badKey:
		return "", core.Errorf(core.Unauthorized, "bad key")
	case odd:
		return "", errors.New("odd")
	case nameless:
		return " . ", nil
	case leaves:
		return "", context.Canceled
	case hung:
		<-ctx.Done()
		return "", ctx.Err()
	case crashes:
		panic("a defect")
	default:
		return "", core.Errorf(core.Unavailable, "down")
	}
}

// Every outcome at every place among three providers: the first one that is sure is believed, within the budget, and only what is sure
// is remembered.
func TestOutcomesByPosition(t *testing.T) {
	t.Parallel()
	for _, a := range moods() {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			for _, b := range moods() {
				for _, c := range moods() {
					synctest.Test(t, func(t *testing.T) { position(t, a, b, c) })
				}
			}
		})
	}
}

func position(t *testing.T, three ...mood) {
	t.Helper()
	var resolvers []ports.AccountResolver
	var want mood
	teller := ""
	for i, m := range three {
		name := string(rune('a' + i))
		if want == "" && m.sure() {
			want, teller = m, name
		}
		resolvers = append(resolvers, resolver{name: name, resolves: always, resolve: func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
			if teller != "" && name > teller {
				t.Errorf("%v: %s was asked after a sure answer", three, name)
			}
			return m.answer(ctx, name, q)
		}})
	}
	cfg := configOf(countries(), resolvers...)
	v := newNameCache(cfg.Clock)
	cfg.Cache = v
	start := time.Now()
	got, err := open(t, cfg).Resolve(t.Context(), nigerian())
	if took := time.Since(start); took > budget {
		t.Errorf("%v: took %s", three, took)
	}
	if want == "" {
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.Unavailable || e.RetryAfter <= 0 || got.Holder != "" || len(v.all()) != 0 {
			t.Errorf("%v: got %q, %v, %d values kept; nobody could tell", three, got.Holder.Reveal(), err, len(v.all()))
		}
		return
	}
	if core.CodeOf(err) != want.code() || len(v.all()) != 1 {
		t.Errorf("%v: got %v, %d values kept; want %q", three, err, len(v.all()), want)
	}
	if err == nil && got.Holder != holderOf(teller, got.AccountQuery) {
		t.Errorf("%v: got %q, want what %s says", three, got.Holder.Reveal(), teller)
	}
	if err != nil && !strings.Contains(err.Error(), "says "+teller) {
		t.Errorf("%v: got %v, want what %s says", three, err, teller)
	}
}

// Whatever providers do and however questions come: a name is what some provider said of exactly that question, "not found" is what
// some provider said of it, and nothing takes longer than the budget.
func TestNoAnswerIsInvented(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		type script struct {
			mood  mood
			delay time.Duration
		}
		plans := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) script {
			return script{rapid.SampledFrom(moods()).Draw(rt, "mood"), time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")) * time.Millisecond}
		}), 3, 30).Draw(rt, "providers")
		questions := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) recipients.Request {
			req := requestsByPlace[rapid.SampledFrom([]string{"ng_bank_transfer", "ng_mobile_money", "gh_bank_transfer", "ke_bank_transfer"}).Draw(rt, "place")]
			req.Caller = rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "caller")
			return req
		}), 1, 20).Draw(rt, "questions")
		hedge := rapid.Bool().Draw(rt, "hedge")

		var faults []string
		var mu sync.Mutex
		fault := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			faults = append(faults, fmt.Sprintf(format, args...))
		}
		synctest.Test(t, func(t *testing.T) {
			said := map[string]bool{} // by provider's answer and question
			calls := 0
			var resolvers []ports.AccountResolver
			for _, name := range []string{"a", "b", "c"} {
				resolvers = append(resolvers, resolver{name: name, resolves: always, resolve: func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
					mu.Lock()
					plan := plans[calls%len(plans)]
					calls++
					mu.Unlock()
					select {
					case <-time.NewTimer(plan.delay).C:
					case <-ctx.Done():
						return "", ctx.Err()
					}
					holder, err := plan.mood.answer(ctx, name, q)
					if plan.mood.sure() && ctx.Err() == nil {
						mu.Lock()
						said[string(plan.mood.code())+string(holderOf("", q))] = true
						mu.Unlock()
					}
					return holder, err
				}})
			}
			cfg := configOf(countries(), resolvers...)
			cfg.Cache = newNameCache(cfg.Clock)
			if hedge {
				cfg.Settings.Hedge = []string{"all"}
			}
			s := open(t, cfg)
			var work sync.WaitGroup
			for i, req := range questions {
				work.Go(func() {
					time.Sleep(time.Duration(i%4) * time.Second)
					start := time.Now()
					got, err := s.Resolve(t.Context(), req)
					if took := time.Since(start); took > budget {
						fault("took %s", took)
					}
					q := core.AccountQuery{Country: req.Country, Channel: core.Channel(req.Channel), Bank: got.Bank, Number: got.Number}
					mu.Lock()
					defer mu.Unlock()
					switch code := core.CodeOf(err); code {
					case "":
						_, asked, _ := strings.Cut(got.Holder.Reveal(), " SAYS")
						if " SAYS"+asked != string(holderOf("", q)) || !said[" SAYS"+asked] {
							faults = append(faults, fmt.Sprintf("invented %q of %+v", got.Holder.Reveal(), req))
						}
					case core.NotFound:
						prefix := string(core.NotFound) + " SAYS " + req.Country + " " + req.Channel
						found := false
						for key := range said {
							found = found || strings.HasPrefix(key, prefix)
						}
						if !found {
							faults = append(faults, fmt.Sprintf("invented that there is no %+v", req))
						}
					case core.Unavailable:
					default:
						faults = append(faults, fmt.Sprintf("got %v", err))
					}
				})
			}
			work.Wait()
		})
		if len(faults) > 0 {
			rt.Fatal(strings.Join(faults, "\n"))
		}
	})
}

// part is the same number below n for the same words.
func part(n uint64, words ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, words...)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd // fnv's last bytes barely reach its high bits
	x ^= x >> 33
	return x % n
}

// With the first provider faulty in three of ten questions, in every way, and the others now and then, nearly all of 20,000 questions get
// the right answer, and none gets a wrong one.
func TestAFaultyFirstProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const count = 20_000
		truth := func(number string) mood {
			switch n := part(100, "truth", number); {
			case n < 92:
				return tells
			case n < 97:
				return unknown
			default:
				return closed
			}
		}
		doubts := []mood{down, throttle, badKey, odd, nameless, leaves, hung, crashes}
		provider := func(name string, faultyPercent uint64) resolver {
			return resolver{name: name, resolves: always, resolve: func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
				number := q.Number.Reveal()
				m := truth(number)
				if part(100, name, number) < faultyPercent {
					m = doubts[part(uint64(len(doubts)), "how", name, number)]
				}
				return m.answer(ctx, "everybody", q)
			}}
		}
		cfg := configOf(countries(), provider("paystack", 30), provider("korapay", 2), provider("monnify", 2))
		cfg.Settings.Budget = recipients.Default().Budget
		s := open(t, cfg)
		right, wrong, untold := 0, 0, 0
		for i := range count {
			req := nigerian()
			req.AccountNumber = core.Private(fmt.Sprintf("%010d", i*7919))
			got, err := s.Resolve(t.Context(), req)
			switch want := truth(req.AccountNumber.Reveal()); {
			case core.CodeOf(err) == core.Unavailable:
				untold++
			case err == nil && want == tells && got.Holder == holderOf("everybody", got.AccountQuery),
				err != nil && want == unknown && strings.Contains(err.Error(), "No account"),
				err != nil && want == closed && strings.Contains(err.Error(), "closed"):
				right++
			default:
				wrong++
			}
		}
		if wrong > 0 || right < count*999/1000 {
			t.Errorf("%d right, %d wrong, %d could not be told", right, wrong, untold)
		}
	})
}
