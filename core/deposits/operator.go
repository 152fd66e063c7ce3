package deposits

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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
	status, err := s.status(ctx, w.name)
	if err != nil {
		return Status{}, err
	}
	if status.First == "" {
		return Status{}, fmt.Errorf("the pool of %s is empty; run causeway deposits import --wallet %s first", w.name, w.name)
	}
	binding := w.binding
	binding.First = status.First
	err = s.store.Confirm(ctx, binding)
	if errors.Is(err, ports.ErrOtherSource) {
		return Status{}, fmt.Errorf("%s was confirmed with another source or first address; "+
			"restore the source in the configuration: addresses in use belong to it", w.name)
	}
	if err != nil {
		return Status{}, err
	}
	return s.status(ctx, w.name)
}

func (s *Service) status(ctx context.Context, name string) (Status, error) {
	all, err := s.Statuses(ctx)
	for _, status := range all {
		if status.Wallet == name {
			return status, err
		}
	}
	return Status{}, err
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

// Difference is a stored assignment that is wrong.
type Difference struct {
	ID      string
	Wallet  string
	Index   int64
	Problem string
}

// Verify derives all stored addresses of configured wallets again. It returns the number of the
// addresses that it checked, and the wallets that are stored but not configured.
func (s *Service) Verify(ctx context.Context, report func(Difference)) (checked int, skipped []string, err error) {
	unknown := map[string]bool{}
	err = s.store.Walk(ctx, func(d core.Deposit) error {
		w := s.wallets[d.Wallet]
		if w == nil {
			if !unknown[d.Wallet] {
				unknown[d.Wallet], skipped = true, append(skipped, d.Wallet)
			}
			return nil
		}
		checked++
		if err := s.compare(w, d); err != nil {
			report(Difference{d.ID, d.Wallet, d.Index, err.Error()})
		}
		return nil
	})
	return checked, skipped, err
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

// Export calls write with all assignments as a hash chain per wallet. A later export begins, in each
// wallet, with the records of an earlier one.
func (s *Service) Export(ctx context.Context, write func(Record) error) error {
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
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		r.Hash, last = hex.EncodeToString(sum[:]), r
		last.Hash = r.Hash
		return write(r)
	})
}

// Compare compares an earlier export with the database: every record must still be there.
func (s *Service) Compare(ctx context.Context, export io.Reader, report func(line int)) error {
	hashes := map[string]bool{}
	err := s.Export(ctx, func(r Record) error {
		hashes[r.Hash] = true
		return nil
	})
	if err != nil {
		return err
	}
	records := json.NewDecoder(export)
	for line := 1; ; line++ {
		var r Record
		err := records.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("record %d of the export cannot be read: %w", line, err)
		}
		hash := r.Hash
		r.Hash = ""
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash || !hashes[hash] {
			report(line)
		}
	}
}
