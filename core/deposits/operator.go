package deposits

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Confirm binds a wallet to its source and its first address, and returns its state.
func (s *Service) Confirm(ctx context.Context, name string) (Status, error) {
	w, err := s.configured(name)
	if err != nil {
		return Status{}, err
	}
	states, err := s.states(ctx, nil)
	if err != nil {
		return Status{}, err
	}
	binding := w.binding
	if binding.First = w.first(states[w.name].DepositWallet); binding.First == "" {
		return Status{}, fmt.Errorf("the pool of %s is empty; run causeway deposits import --wallet %s first", w.name, w.name)
	}
	err = s.store.Confirm(ctx, binding)
	if errors.Is(err, ports.ErrOtherSource) {
		return Status{}, fmt.Errorf("%s was confirmed with another source or first address; "+
			"restore the source in the configuration: addresses in use belong to it", w.name)
	}
	if err != nil {
		return Status{}, err
	}
	return s.read(ctx, w)
}

// Import adds addresses to the pool of a wallet: the first column of CSV, one address a line. An empty
// line and a first line "address" are skipped. If any line is wrong, the error names all of them,
// without the addresses, and nothing is imported.
func (s *Service) Import(ctx context.Context, name string, file io.Reader) (int, error) {
	w, err := s.configured(name)
	if err != nil {
		return 0, err
	}
	if w.source.Kind() != ports.PoolSource {
		return 0, fmt.Errorf("%s has no pool, its source is: %s", w.name, w.source.Kind())
	}
	var (
		addresses []core.Private
		lines     []int // of the addresses
		faults    []error
		first     = map[core.Private]int{}
	)
	scanner := bufio.NewScanner(file)
	for line := 1; scanner.Scan(); line++ {
		text, _, _ := strings.Cut(strings.TrimPrefix(scanner.Text(), "\ufeff"), ",")
		text = strings.Trim(strings.TrimSpace(text), `"`)
		if text == "" || line == 1 && strings.EqualFold(text, "address") {
			continue
		}
		address, err := s.parsePooled(w, text)
		switch before := first[address]; {
		case err != nil:
			faults = append(faults, fmt.Errorf("line %d: %w", line, err))
		case before != 0:
			faults = append(faults, fmt.Errorf("line %d: the same address as line %d", line, before))
		default:
			first[address] = line
			addresses, lines = append(addresses, address), append(lines, line)
		}
	}
	if err := scanner.Err(); err != nil {
		faults = append(faults, err)
	}
	if len(faults) == 0 && len(addresses) > 0 {
		known, err := s.store.Import(ctx, w.name, addresses)
		if err != nil {
			return 0, err
		}
		for _, at := range known {
			faults = append(faults, fmt.Errorf("line %d: the address is in the pool already", lines[at]))
		}
	}
	if len(faults) > 0 {
		return 0, fmt.Errorf("nothing was imported:\n%w", errors.Join(faults...))
	}
	return len(addresses), nil
}

// parsePooled returns the canonical form of an imported address.
func (s *Service) parsePooled(w *wallet, text string) (core.Private, error) {
	verdict, err := s.addresses.Validate(core.AddressQuery{
		Currency: w.currency, Network: w.network, Address: core.Private(text),
	})
	switch {
	case err != nil:
		return "", err
	case !verdict.Valid:
		return "", fmt.Errorf("not a valid address of %s (%s)", w.network, verdict.Reason)
	case verdict.Memo != nil:
		return "", errors.New("the address contains a tag; import the address without it")
	}
	return core.Private(verdict.Normalized), nil
}

// Difference is a stored row that is wrong.
type Difference struct {
	Row    string // wallet, table and index
	Wallet string
	Err    error
}

func (x Difference) String() string { return x.Row + ": " + x.Err.Error() }

// Verify checks the seals of all stored rows and that none is missing, and derives the addresses of
// configured wallets again. It returns the number of assignments, and the wallets that are stored
// but not configured, whose addresses it cannot derive.
func (s *Service) Verify(ctx context.Context, report func(Difference)) (checked int, skipped []string, err error) {
	return s.verifyRows(ctx, s.compare, report)
}

// verifyRows is Verify with a function that compares an address with its source.
func (s *Service) verifyRows(
	ctx context.Context, compare func(*wallet, core.Deposit) error, report func(Difference),
) (checked int, skipped []string, err error) {
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return 0, nil, err
	}
	v := verification{
		service: s, states: states, compare: compare, report: report, rows: map[string]int64{}, pool: map[string]int64{},
	}
	if err := v.assignments(ctx); err != nil {
		return v.checked, nil, err
	}
	if err := v.doubles(ctx); err != nil {
		return v.checked, nil, err
	}
	if err := s.store.WalkPool(ctx, v.pooled); err != nil {
		return v.checked, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		v.wallet(name, states[name])
		if s.wallets[name] == nil {
			skipped = append(skipped, name)
		}
	}
	return v.checked, skipped, nil
}

// verification is a run of Verify. Rows with later indexes than the states, which were read first,
// may be new: their seals are checked, but they are not counted.
type verification struct {
	service *Service
	states  map[string]state
	compare func(*wallet, core.Deposit) error
	report  func(Difference)

	checked int
	rows    map[string]int64 // assignments by wallet
	pool    map[string]int64 // imported addresses by wallet
}

// batch is rows that are compared with their sources together.
type batch struct {
	rows []core.Deposit
	errs chan []error // of the rows
}

const (
	batchRows    = 500
	progressRows = 100_000
)

// assignments checks all assignments. It derives addresses on all processors, and reports in the order of the rows.
func (v *verification) assignments(ctx context.Context) error {
	var total int64
	for _, state := range v.states {
		total += state.Assigned
	}
	var work sync.WaitGroup
	started := make(chan batch, runtime.GOMAXPROCS(0))
	work.Go(func() {
		for b := range started {
			for i, err := range <-b.errs {
				v.deposit(b.rows[i], err)
				if v.checked%progressRows == 0 {
					v.service.events.Verified(v.checked, total)
				}
			}
		}
	})
	var rows []core.Deposit
	start := func() {
		b := batch{rows, make(chan []error, 1)}
		rows = make([]core.Deposit, 0, batchRows)
		go func() { b.errs <- v.differences(b.rows) }()
		started <- b
	}
	err := v.service.store.Walk(ctx, func(d core.Deposit) error {
		if rows = append(rows, d); len(rows) == batchRows {
			start()
		}
		return nil
	})
	start()
	close(started)
	work.Wait()
	return err
}

// differences compares assignments with the sources of their wallets.
func (v *verification) differences(rows []core.Deposit) []error {
	errs := make([]error, len(rows))
	for i, d := range rows {
		if w := v.service.wallets[d.Wallet]; w != nil && !errors.Is(d.Fault, ports.ErrTampered) {
			errs[i] = v.compare(w, d)
		}
	}
	return errs
}

// deposit checks an assignment, which has a difference from its source or none.
func (v *verification) deposit(d core.Deposit, difference error) {
	v.checked++
	switch {
	case d.Fault != nil:
		v.assignment(d, d.Fault)
	case v.states[d.Wallet].Wallet == "":
		v.assignment(d, fmt.Errorf("%w: its wallet has no row", errMissing))
	}
	if difference != nil {
		v.assignment(d, difference)
	}
	if d.Index < v.states[d.Wallet].Next {
		v.rows[d.Wallet]++
	}
}

// assignment reports an assignment that is wrong.
func (v *verification) assignment(d core.Deposit, err error) {
	v.report(Difference{fmt.Sprintf("%s, assignment %s with index %d", d.Wallet, d.ID, d.Index), d.Wallet, err})
}

// doubles reports current addresses of users with more than one in a wallet.
func (v *verification) doubles(ctx context.Context) error {
	doubles, err := v.service.store.Doubles(ctx)
	for _, d := range doubles {
		v.assignment(d, fmt.Errorf("%w: its user has another current address", errMissing))
	}
	return err
}

// pooled checks an imported address.
func (v *verification) pooled(a core.PoolAddress) error {
	if a.Fault != nil {
		v.report(Difference{fmt.Sprintf("%s, pool address with index %d", a.Wallet, a.Index), a.Wallet, a.Fault})
	}
	if a.Index < v.states[a.Wallet].Pool {
		v.pool[a.Wallet]++
	}
	return nil
}

// wallet checks the row of a wallet, after all others.
func (v *verification) wallet(name string, state state) {
	fail := func(err error) { v.report(Difference{name + ", wallet", name, err}) }
	if state.Fault != nil {
		fail(state.Fault)
	}
	if state.Wallet == "" && state.known > 0 {
		fail(fmt.Errorf("%w: it has no row, and the indexes below %d are used", errMissing, state.known))
	}
	if errors.Is(state.Fault, ports.ErrUnsealed) || errors.Is(state.Fault, ports.ErrTampered) {
		return // without counts
	}
	if rows := v.rows[state.Wallet]; rows != state.Assigned {
		fail(fmt.Errorf("%w: %d assignments are stored, %d were made", errMissing, rows, state.Assigned))
	}
	if rows := v.pool[state.Wallet]; rows != state.Pool {
		fail(fmt.Errorf("%w: %d pool addresses are stored, %d were imported", errMissing, rows, state.Pool))
	}
	if w := v.service.wallets[state.Wallet]; w != nil && !state.Confirmed.IsZero() {
		request := ports.DepositRequest{Binding: w.binding, Known: state.known}
		state.Fault, state.Stopped = nil, ""
		if err := cmp.Or(state.err, request.Check(state.DepositWallet)); err != nil {
			fail(err)
		}
	}
}

// differences returns the differences of a wallet, or of all for an empty name, without the allowed
// ones.
func (s *Service) differences(ctx context.Context, name string, allowed ...error) error {
	var found []error
	_, _, err := s.Verify(ctx, func(x Difference) {
		is := func(target error) bool { return errors.Is(x.Err, target) }
		if (name == "" || x.Wallet == name) && !slices.ContainsFunc(allowed, is) {
			found = append(found, errors.New(x.String()))
		}
	})
	if err != nil || len(found) == 0 {
		return err
	}
	const most = 10
	return fmt.Errorf("%d differences; see causeway deposits verify:\n%w", len(found),
		errors.Join(found[:min(len(found), most)]...))
}

// Seal seals the rows of a database that has none, or those with the seal of a previous key. It
// changes nothing if any address is not the one that its source makes, or another row is wrong.
func (s *Service) Seal(ctx context.Context) (rows int, err error) {
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return 0, err
	}
	for name, state := range states {
		if state.known > 0 && errors.Is(state.Fault, ports.ErrUnsealed) {
			return 0, fmt.Errorf("%s had seals before, and somebody removed them: see docs/deposits.md", name)
		}
	}
	if err := s.differences(ctx, "", ports.ErrUnsealed, ports.ErrOldSeal); err != nil {
		return 0, err
	}
	return s.store.Seal(ctx)
}

// Resume lets a wallet assign addresses again after it was stopped, or after an older database was
// restored. It raises the next index to at least next.
func (s *Service) Resume(ctx context.Context, name string, next int64) (Status, error) {
	w, err := s.configured(name)
	if err != nil {
		return Status{}, err
	}
	if err := s.differences(ctx, w.name, ports.ErrRolledBack); err != nil {
		return Status{}, err
	}
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return Status{}, err
	}
	if state := states[w.name]; max(next, state.Next) < state.known {
		return Status{}, fmt.Errorf("the indexes of %s below %d are used: give --next %d or more", w.name, state.known,
			state.known)
	}
	if err := s.store.Resume(ctx, w.name, next); err != nil {
		return Status{}, err
	}
	return s.read(ctx, w)
}

// read returns the state of a wallet.
func (s *Service) read(ctx context.Context, w *wallet) (Status, error) {
	states, err := s.states(ctx, map[string]*wallet{w.name: w})
	if err != nil {
		return Status{}, err
	}
	return s.status(ctx, w, states[w.name]), nil
}

// Record is a line of the assignment log.
type Record struct {
	Number   int       `json:"number"` // from 1 on, in the wallet
	ID       string    `json:"id"`
	Wallet   string    `json:"wallet"`
	Index    int64     `json:"index"`
	Address  string    `json:"address"`
	Memo     string    `json:"memo,omitempty"`
	Account  string    `json:"account"`
	Profile  string    `json:"profile_id,omitempty"`
	Created  time.Time `json:"created_at"`
	Previous string    `json:"previous"`       // hash of the record before it in the wallet; empty for the first
	Hash     string    `json:"hash,omitempty"` // SHA-256 of this record as JSON without its hash
}

// End is the last line of an export.
type End struct {
	Records int `json:"end_of_records"`
}

// Export calls write with all assignments as a hash chain per wallet, and returns their number. A
// later export begins, in each wallet, with the records of an earlier one. If a stored row is wrong
// or a wallet is stopped, Export writes nothing.
func (s *Service) Export(ctx context.Context, write func(Record) error) (records int, err error) {
	states, err := s.states(ctx, s.wallets)
	if err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if reason := states[name].Stopped; reason != "" {
			return 0, fmt.Errorf("%s is stopped: %s; see causeway deposits verify and resume", name, reason)
		}
	}
	if err := s.differences(ctx, ""); err != nil {
		return 0, err
	}
	err = s.records(ctx, func(d core.Deposit, r Record) error {
		if d.Fault != nil {
			return d.Fault
		}
		records++
		return write(r)
	})
	return records, err
}

// records calls f with all assignments and their records.
func (s *Service) records(ctx context.Context, f func(core.Deposit, Record) error) error {
	var last Record
	return s.store.Walk(ctx, func(d core.Deposit) error {
		if d.Wallet != last.Wallet {
			last = Record{}
		}
		r := Record{
			Number: last.Number + 1, ID: d.ID, Wallet: d.Wallet, Index: d.Index, Address: d.Address.Reveal(),
			Memo: d.Memo.Reveal(), Account: d.User.Account, Profile: d.User.Profile.Reveal(), Created: d.Created,
			Previous: last.Hash,
		}
		var err error
		r.Hash, err = r.hash()
		last = r
		return errors.Join(err, f(d, r))
	})
}

// hash returns the hash of a record without its hash.
func (r Record) hash() (string, error) {
	r.Hash = ""
	text, err := json.Marshal(r)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Compare compares an earlier export with the database: every record must still be there. It
// returns the number of compared records. An export without its end is an error.
func (s *Service) Compare(ctx context.Context, export io.Reader, report func(line int)) (compared int, err error) {
	x := earlier{lines: json.NewDecoder(export)}
	x.advance()
	err = s.records(ctx, func(_ core.Deposit, stored Record) error {
		for x.record != nil && x.record.place(stored) < 0 {
			report(x.compared)
			x.advance()
		}
		if x.record != nil && x.record.place(stored) == 0 {
			if hash, err := x.record.hash(); err != nil || hash != x.record.Hash || hash != stored.Hash {
				report(x.compared)
			}
			x.advance()
		}
		return nil
	})
	for err == nil && x.record != nil {
		report(x.compared)
		x.advance()
	}
	return x.compared, cmp.Or(err, x.err)
}

// place compares the places of two records in an export.
func (r Record) place(other Record) int {
	return cmp.Or(strings.Compare(r.Wallet, other.Wallet), cmp.Compare(r.Index, other.Index))
}

// earlier is an earlier export, of which one record is read at a time.
type earlier struct {
	lines    *json.Decoder
	record   *Record // nil: there is none left
	compared int     // records, this one included
	err      error   // why there is no end
}

// advance reads the next record.
func (x *earlier) advance() {
	var line struct {
		Record

		End *int `json:"end_of_records"`
	}
	x.record = nil
	switch err := x.lines.Decode(&line); {
	case errors.Is(err, io.EOF):
		x.err = fmt.Errorf("the export is empty, cut or of an older version: it has no end; %d records compared", x.compared)
	case err != nil:
		x.err = fmt.Errorf("record %d of the export cannot be read, %d records compared: %w", x.compared+1, x.compared, err)
	case line.End != nil && *line.End != x.compared:
		x.err = fmt.Errorf("the export lacks records: %d of %d compared", x.compared, *line.End)
	case line.End == nil:
		x.record, x.compared = &line.Record, x.compared+1
	}
}
