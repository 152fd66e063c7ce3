package porttest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/ports"
)

// Deposits is the suite of ports.DepositStore.
type Deposits struct {
	// Open opens a new, empty store several times, as several processes do.
	Open func(t *testing.T, processes int) []ports.DepositStore
}

// Run runs the suite.
func (s Deposits) Run(t *testing.T) {
	t.Helper()
	run(t, map[string]func(*testing.T){
		"assign": s.assign, "renew": s.renew, "unconfirmed": s.unconfirmed, "other source": s.otherSource,
		"derive fails": s.deriveFails, "pool": s.pool, "pooled": s.pooled, "find": s.find,
		"find all": s.findAll, "walk": s.walk, "concurrent": s.concurrent,
		"canceled context": s.canceled, "stop and resume": s.stop, "new users": s.newUsers,
	})
}

var depositDay = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// depositRequest returns a request for an address of a user in wallet BTC, whose addresses are numbers.
func depositRequest(profile string) ports.DepositRequest {
	return ports.DepositRequest{
		User:    core.DepositUser{Account: "a", Profile: core.Private(profile)},
		Binding: core.DepositBinding{Wallet: "BTC", Fingerprint: "f", First: "0"},
		Now:     depositDay,
		Derive: func(index int64, _ core.Private) (core.DepositAddress, error) {
			return core.DepositAddress{Address: core.Private(strconv.FormatInt(index, 10)), Memo: "m"}, nil
		},
	}
}

func (s Deposits) confirmed(t *testing.T, processes int) []ports.DepositStore {
	t.Helper()
	stores := s.Open(t, processes)
	if err := stores[0].Confirm(t.Context(), depositRequest("").Binding); err != nil {
		t.Fatal(err)
	}
	return stores
}

func mustAssign(t *testing.T, store ports.DepositStore, r ports.DepositRequest) (core.Deposit, bool) {
	t.Helper()
	deposit, created, err := store.Assign(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return deposit, created
}

func (s Deposits) assign(t *testing.T) {
	stores := s.confirmed(t, 2)
	first, created := mustAssign(t, stores[0], depositRequest("u"))
	want := core.Deposit{
		DepositAddress: core.DepositAddress{Address: "0", Memo: "m"}, ID: first.ID, Wallet: "BTC",
		User: core.DepositUser{Account: "a", Profile: "u"}, Created: depositDay,
	}
	if diff := cmp.Diff(want, first); diff != "" || !created || first.ID == "" {
		t.Errorf("created %v, (-want +got):\n%s", created, diff)
	}
	if again, created := mustAssign(t, stores[1], depositRequest("u")); created || again != first {
		t.Errorf("repeated: got %+v, created %v; want the same address", again, created)
	}
	other := depositRequest("u")
	other.User.Account = "b"
	for _, r := range []ports.DepositRequest{depositRequest(""), depositRequest("U"), other} {
		if got, created := mustAssign(t, stores[1], r); !created || got.Address == first.Address || got.ID == first.ID {
			t.Errorf("user %+v: got %+v, want another address", r.User, got)
		}
	}
	if list, err := stores[1].List(t.Context(), first.User, 1); err != nil || !cmp.Equal(list, []core.Deposit{first}) {
		t.Errorf("list: got %+v, %v; want one address", list, err)
	}
}

func (s Deposits) renew(t *testing.T) {
	stores := s.confirmed(t, 2)
	renew := func(store ports.DepositStore, profile, key string) core.Deposit {
		r := depositRequest(profile)
		r.Renew, r.Key, r.Now = true, core.Private(key), depositDay.Add(time.Hour)
		deposit, _ := mustAssign(t, store, r)
		return deposit
	}
	first, _ := mustAssign(t, stores[0], depositRequest("u"))
	second, third := renew(stores[1], "u", "k"), renew(stores[0], "u", "")
	if first.Index != 0 || second.Index != 1 || third.Index != 2 {
		t.Errorf("got indexes %d, %d, %d; want 0, 1, 2", first.Index, second.Index, third.Index)
	}
	if again := renew(stores[0], "u", "k"); again.ID != second.ID {
		t.Errorf("repeated key: got index %d, want %d", again.Index, second.Index)
	}
	if other := renew(stores[0], "v", "k"); other.ID == second.ID {
		t.Errorf("key of another user: got index %d again, want a new one", other.Index)
	}
	if now, created := mustAssign(t, stores[1], depositRequest("u")); created || now.ID != third.ID {
		t.Errorf("current address: got index %d, want %d", now.Index, third.Index)
	}
	list, err := stores[1].List(t.Context(), first.User, 2)
	if err != nil || len(list) != 3 || list[0].ID != first.ID || !list[0].Replaced.Equal(depositDay.Add(time.Hour)) ||
		!list[2].Replaced.IsZero() {
		t.Errorf("list: %+v, %v", list, err)
	}
	for previous := range 2 { // the newest ones
		some, err := stores[1].List(t.Context(), first.User, previous)
		equal(t, fmt.Sprint(previous, " previous"), list[2-previous:], some, err)
	}
	if doubles, err := stores[1].Doubles(t.Context()); err != nil || len(doubles) > 0 {
		t.Errorf("doubles: got %+v, %v; want none", doubles, err)
	}
}

func (s Deposits) unconfirmed(t *testing.T) {
	store := s.Open(t, 1)[0]
	_, _, err := store.Assign(t.Context(), depositRequest("u"))
	if !errors.Is(err, ports.ErrNotConfirmed) {
		t.Errorf("got %v, want ErrNotConfirmed", err)
	}
	if _, err := store.Import(t.Context(), "BTC", []core.Private{"x"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Assign(t.Context(), depositRequest("u")); !errors.Is(err, ports.ErrNotConfirmed) {
		t.Errorf("with a pool: got %v, want ErrNotConfirmed", err)
	}
}

func (s Deposits) otherSource(t *testing.T) {
	stores := s.confirmed(t, 2)
	binding := depositRequest("").Binding
	if err := stores[1].Confirm(t.Context(), binding); err != nil {
		t.Errorf("confirmed again: got %v, want no error", err)
	}
	for _, change := range []func(*core.DepositBinding){
		func(b *core.DepositBinding) { b.Fingerprint = "g" }, func(b *core.DepositBinding) { b.First = "1" },
	} {
		r := depositRequest("u")
		change(&r.Binding)
		if _, _, err := stores[1].Assign(t.Context(), r); !errors.Is(err, ports.ErrOtherSource) {
			t.Errorf("assign with %+v: got %v, want ErrOtherSource", r.Binding, err)
		}
		if err := stores[1].Confirm(t.Context(), r.Binding); !errors.Is(err, ports.ErrOtherSource) {
			t.Errorf("confirm %+v: got %v, want ErrOtherSource", r.Binding, err)
		}
	}
	wallets, err := stores[1].Wallets(t.Context())
	if err != nil || len(wallets) != 1 || wallets[0].DepositBinding != binding || wallets[0].Confirmed.IsZero() {
		t.Errorf("got %+v, %v", wallets, err)
	}
}

func (s Deposits) deriveFails(t *testing.T) {
	store := s.confirmed(t, 1)[0]
	failed := errors.New("failed")
	r := depositRequest("u")
	r.Derive = func(int64, core.Private) (core.DepositAddress, error) { return core.DepositAddress{}, failed }
	if _, _, err := store.Assign(t.Context(), r); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if list, err := store.List(t.Context(), r.User, 0); err != nil || len(list) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}

func (s Deposits) pool(t *testing.T) {
	stores := s.confirmed(t, 2)
	add := func(addresses ...core.Private) []int {
		t.Helper()
		known, err := stores[1].Import(t.Context(), "BTC", addresses)
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	if known := add("x", "y"); len(known) != 0 {
		t.Errorf("known: %v", known)
	}
	if known := add("z", "y", "x"); !cmp.Equal(known, []int{1, 2}) {
		t.Errorf("known: %v", known)
	}
	if known := add("z"); len(known) != 0 {
		t.Errorf("after a refused import: got known %v, want none", known)
	}
	r := depositRequest("")
	r.Derive = func(_ int64, imported core.Private) (core.DepositAddress, error) {
		return core.DepositAddress{Address: imported}, nil
	}
	for i, want := range []core.Private{"x", "y", "z", ""} {
		r.User.Profile = core.Private(strconv.Itoa(i))
		if got, _ := mustAssign(t, stores[i%2], r); got.Address != want || got.Imported != want {
			t.Errorf("index %d: got %q, want %q", i, got.Address.Reveal(), want.Reveal())
		}
	}
	wallets, err := stores[0].Wallets(t.Context())
	if err != nil || len(wallets) != 1 || wallets[0].Pool != 3 || wallets[0].PoolFirst != "x" || wallets[0].Next != 4 {
		t.Errorf("got %+v, %v", wallets, err)
	}
}

func (s Deposits) find(t *testing.T) {
	store := s.confirmed(t, 1)[0]
	tagged, _ := mustAssign(t, store, depositRequest("u"))
	bare := depositRequest("v")
	bare.Derive = func(int64, core.Private) (core.DepositAddress, error) {
		return core.DepositAddress{Address: "bare"}, nil
	}
	plain, _ := mustAssign(t, store, bare)
	for _, c := range []struct {
		wallet        string
		address, memo core.Private
		want          string
	}{
		{"BTC", "0", "m", tagged.ID},
		{"BTC", "0", "", ""},
		{"BTC", "0", "M", ""},
		{"BTC", "bare", "", plain.ID},
		{"BTC", "bare", "any", plain.ID},
		{"LTC", "bare", "", ""},
	} {
		got, err := store.Find(t.Context(), c.wallet, core.DepositAddress{Address: c.address, Memo: c.memo})
		if got.ID != c.want || (c.want == "") != (core.CodeOf(err) == core.NotFound) {
			t.Errorf("%+v: got %+v, %v; want ID %q", c, got, err, c.want)
		}
	}
}

// findAll looks up more keys than a query can hold, some of them twice.
func (s Deposits) findAll(t *testing.T) {
	stores := s.confirmed(t, 2)
	mustAssign(t, stores[0], depositRequest("u"))
	bare := depositRequest("v")
	bare.Derive = func(int64, core.Private) (core.DepositAddress, error) {
		return core.DepositAddress{Address: "bare"}, nil
	}
	mustAssign(t, stores[0], bare)
	renewed := depositRequest("u") // a replaced address keeps its owner
	renewed.Renew = true
	mustAssign(t, stores[0], renewed)
	key := func(wallet string, address, memo core.Private) ports.DepositKey {
		return ports.DepositKey{Wallet: wallet, DepositAddress: core.DepositAddress{Address: address, Memo: memo}}
	}
	var all []core.Deposit // by index
	err := stores[1].Walk(t.Context(), func(d core.Deposit) error {
		all = append(all, d)
		return nil
	})
	if err != nil || len(all) != 3 {
		t.Fatalf("got %+v, %v", all, err)
	}
	many := []ports.DepositKey{key("BTC", "2", "m"), key("BTC", "bare", "\x00 and \xff")}
	for i := range 10_001 {
		many = append(many, key("BTC", core.Private(fmt.Sprint("unknown ", i)), "m"))
	}
	many = append(many, key("BTC", "2", "m"), key("BTC", "0", "m"), key("BTC", "bare", "any"))
	for name, c := range map[string]struct {
		keys []ports.DepositKey
		want []core.Deposit
	}{
		"none":          {nil, nil},
		"other keys":    {[]ports.DepositKey{key("BTC", "0", ""), key("BTC", "0", "M"), key("LTC", "0", "m")}, nil},
		"without memo":  {[]ports.DepositKey{key("BTC", "bare", "")}, all[1:2]},
		"many and some": {many, all},
	} {
		got, err := stores[1].FindAll(t.Context(), c.keys)
		slices.SortFunc(got, func(a, b core.Deposit) int { return int(a.Index - b.Index) })
		equal(t, name, c.want, got, err)
	}
}

// pooled checks that Pooled returns the imported addresses that no user has.
func (s Deposits) pooled(t *testing.T) {
	stores := s.confirmed(t, 2)
	if known, err := stores[0].Import(t.Context(), "BTC", []core.Private{"x", "y", "z"}); len(known) > 0 || err != nil {
		t.Fatalf("got %v, %v", known, err)
	}
	mustAssign(t, stores[0], depositRequest("u"))
	for _, c := range []struct {
		wallet string
		asked  []core.Private
		want   []core.PoolAddress
	}{
		{"BTC", []core.Private{"x", "y", "y", "other"}, []core.PoolAddress{{Wallet: "BTC", Index: 1, Address: "y"}}},
		{"LTC", []core.Private{"y"}, nil},
		{"BTC", nil, nil},
	} {
		got, err := stores[1].Pooled(t.Context(), c.wallet, c.asked)
		equal(t, c.wallet, c.want, got, err)
	}
}

func (s Deposits) walk(t *testing.T) {
	stores := s.confirmed(t, 2)
	for i := range 3 {
		mustAssign(t, stores[i%2], depositRequest(strconv.Itoa(i)))
	}
	var indexes []int64
	err := stores[1].Walk(t.Context(), func(d core.Deposit) error {
		indexes = append(indexes, d.Index)
		return nil
	})
	if err != nil || !cmp.Equal(indexes, []int64{0, 1, 2}) {
		t.Errorf("got %v, %v; want 0, 1, 2", indexes, err)
	}
	stop := errors.New("stop")
	if err := stores[1].Walk(t.Context(), func(core.Deposit) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// concurrent lets several processes assign addresses to the same users.
func (s Deposits) concurrent(t *testing.T) {
	const processes, users = 3, 40
	stores := s.confirmed(t, processes)
	var (
		work   sync.WaitGroup
		mu     sync.Mutex
		byUser = map[core.Private]string{}
		owner  = map[core.Private]core.Private{}
		made   int
	)
	for i := range processes * users {
		work.Go(func() {
			r := depositRequest(fmt.Sprint("user ", i%users))
			deposit, created, err := stores[i%processes].Assign(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if before, ok := byUser[r.User.Profile]; ok && before != deposit.ID {
				t.Errorf("%s: got two addresses, want one", r.User.Profile.Reveal())
			}
			if before, ok := owner[deposit.Address]; ok && before != r.User.Profile {
				t.Errorf("index %d: got two users, want one", deposit.Index)
			}
			byUser[r.User.Profile], owner[deposit.Address] = deposit.ID, r.User.Profile
			if created {
				made++
			}
		})
	}
	work.Wait()
	if made != users || len(owner) != users {
		t.Errorf("got %d assignments of %d addresses, want %d", made, len(owner), users)
	}
}

func (s Deposits) canceled(t *testing.T) {
	store := s.confirmed(t, 1)[0]
	ctx := canceled(t)
	if _, _, err := store.Assign(ctx, depositRequest("u")); err == nil {
		t.Error("Assign: got no error, want one")
	}
	if _, err := store.List(ctx, core.DepositUser{}, 0); err == nil {
		t.Error("List: got no error, want one")
	}
}

// stop checks that a stopped wallet, and one whose next index decreased, assign nothing.
func (s Deposits) stop(t *testing.T) {
	stores := s.confirmed(t, 2)
	mustAssign(t, stores[0], depositRequest("u"))
	if err := stores[0].Stop(t.Context(), "BTC", "why"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := stores[1].Assign(t.Context(), depositRequest("v")); !errors.Is(err, ports.ErrStopped) {
		t.Errorf("stopped: got %v, want ErrStopped", err)
	}
	wallets, err := stores[1].Wallets(t.Context())
	if err != nil || wallets[0].Stopped != "why" || wallets[0].Assigned != 1 {
		t.Errorf("stopped: got %+v, %v", wallets, err)
	}
	for _, next := range []int64{5, 2} { // 2 lowers nothing
		if err := stores[1].Resume(t.Context(), "BTC", next); err != nil {
			t.Fatal(err)
		}
	}
	r := depositRequest("v")
	r.Known = 6
	if _, _, err := stores[0].Assign(t.Context(), r); !errors.Is(err, ports.ErrRolledBack) {
		t.Errorf("lower than known: got %v, want ErrRolledBack", err)
	}
	r.Known = 5
	if got, _ := mustAssign(t, stores[0], r); got.Index != 5 {
		t.Errorf("resumed: got index %d, want 5", got.Index)
	}
}

// newUsers checks that users without an address count, by account and day.
func (s Deposits) newUsers(t *testing.T) {
	stores := s.confirmed(t, 2)
	request := func(account, profile string, at time.Time) ports.DepositRequest {
		r := depositRequest(profile)
		r.User.Account, r.Now, r.NewUsers = account, at, 2
		return r
	}
	for i, c := range []struct {
		account, profile string
		after            time.Duration
		renew, refused   bool
	}{
		{"a", "1", 0, false, false},
		{"a", "2", 0, false, false},
		{"a", "3", 0, false, true},
		{"a", "3", 0, true, true},
		{"a", "1", 0, true, false}, // known
		{"b", "1", 0, false, false},
		{"a", "3", 11*time.Hour + 59*time.Minute, false, true},
		{"a", "3", 12 * time.Hour, false, false}, // midnight
	} {
		r := request(c.account, c.profile, depositDay.Add(c.after))
		r.Renew = c.renew
		_, _, err := stores[i%2].Assign(t.Context(), r)
		if errors.Is(err, ports.ErrQuota) != c.refused || !c.refused && err != nil {
			t.Errorf("%d, user %s of %s after %s: got %v, want refused %t", i, c.profile, c.account, c.after, err, c.refused)
		}
	}
}

// DepositMarks checks ports.DepositMarks. Open returns the same marks, as another process opens
// them.
func DepositMarks(t *testing.T, open func() ports.DepositMarks) {
	t.Helper()
	raise := func(m ports.DepositMarks, wallet string, next, want int64) {
		t.Helper()
		if got, err := m.Raise(t.Context(), wallet, next); got != want || err != nil {
			t.Errorf("%s raised to %d: got %d, %v; want %d", wallet, next, got, err, want)
		}
	}
	a, b := open(), open()
	raise(a, "BTC", 0, 0)
	raise(a, "BTC", 5, 5)
	raise(b, "BTC", 3, 5)
	raise(b, "SOL", 1, 1)
	var work sync.WaitGroup
	for i := range int64(20) {
		work.Go(func() {
			if _, err := a.Raise(t.Context(), "EVM", i); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	c := open()
	raise(c, "BTC", 0, 5)
	raise(c, "SOL", 0, 1)
	raise(c, "EVM", 0, 19)
}
