package cli

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/storage"
	"causeway/adapters/storage/storagetest"
	"causeway/config"
	"causeway/core"
	"causeway/core/deposits"
)

const (
	bip84   = "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
	program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	wrapped = "So11111111111111111111111111111111111111112"
	hashKey = core.Secret("a secret of 32 characters or more")
)

// vault is an installation with a wallet of a key and a pool, and its database as an intruder sees
// it.
type vault struct {
	config.Config
	*deposits.Service

	db *sql.DB
}

func newVault(t testing.TB, cfg config.Config) *vault {
	t.Helper()
	cfg.Deposits.Wallets = map[string]core.Secret{"BTC": bip84, "SOL": "pool"}
	v := &vault{Config: cfg}
	v.Service = v.process(t)
	driver, address := "sqlite", filepath.Join(cfg.State.Dir, "causeway.db")
	if cfg.Storage.URL != "" {
		driver, address = "pgx", cfg.Storage.URL.Reveal()
	}
	var err error
	if v.db, err = sql.Open(driver, address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.db.Close() })
	return v
}

// process returns the service of another process.
func (v *vault) process(t testing.TB, keys ...core.Secret) *deposits.Service {
	t.Helper()
	service, err := newDepositService(v.Config, v.open(t), deposits.Events{}, append(keys, hashKey)...)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func (v *vault) open(t testing.TB) *storage.Store {
	t.Helper()
	store, err := storage.Open(t.Context(), v.Database())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func (v *vault) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := v.db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// address returns the address that a service gives to a user.
func address(t *testing.T, s *deposits.Service, profile, currency string) (string, error) {
	t.Helper()
	user := core.DepositUser{Account: "a", Profile: core.Private(profile)}
	result, err := s.Get(t.Context(), deposits.Query{User: user, Currency: currency})
	if err != nil {
		return "", err
	}
	return result.Items[0].Address.Reveal(), nil
}

func mustAddress(t *testing.T, s *deposits.Service, profile, currency string) string {
	t.Helper()
	got, err := address(t, s, profile, currency)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// fill confirms both wallets and makes a row of every kind: a replaced address with a request key,
// current addresses of two users, an assigned and an unassigned address of the pool.
func (v *vault) fill(t *testing.T) {
	t.Helper()
	if _, err := v.Import(t.Context(), "SOL", strings.NewReader(program+"\n"+wrapped)); err != nil {
		t.Fatal(err)
	}
	for _, wallet := range []string{"BTC", "SOL"} {
		if _, err := v.Confirm(t.Context(), wallet); err != nil {
			t.Fatal(err)
		}
	}
	user := core.DepositUser{Account: "a", Profile: "u"}
	for _, key := range []core.Private{"first", "second"} {
		if _, err := v.Regenerate(t.Context(), user, "BTC", "", key); err != nil {
			t.Fatal(err)
		}
	}
	mustAddress(t, v.Service, "v", "BTC")
	mustAddress(t, v.Service, "u", "SOL")
}

// differences returns what verify reports in a process that starts now.
func (v *vault) differences(t *testing.T, keys ...core.Secret) (found []string) {
	t.Helper()
	if _, _, err := v.process(t, keys...).Verify(t.Context(), func(x deposits.Difference) { found = append(found, x.String()) }); err != nil {
		found = append(found, err.Error())
	}
	return found
}

func vaults(t *testing.T, test func(t *testing.T, v *vault)) {
	t.Helper()
	for _, backend := range []string{"SQLite", "PostgreSQL"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.State.Dir = t.TempDir()
			if backend == "PostgreSQL" {
				cfg.Storage.URL = storagetest.Database(t)
			}
			test(t, newVault(t, cfg))
		})
	}
}

// Verify finds a change of every column of every row, and rows that are missing, swapped or forged,
// and names the row.
func TestDeposits_VerifyFindsEveryChange(t *testing.T) {
	t.Parallel()
	const forged = "Vote111111111111111111111111111111111111111"
	vaults(t, func(t *testing.T, v *vault) {
		v.fill(t)
		var seal string // of a row before it is replaced
		if err := v.db.QueryRowContext(t.Context(), `SELECT seal FROM deposit_addresses WHERE profile = 'v'`).Scan(&seal); err != nil {
			t.Fatal(err)
		}
		user := core.DepositUser{Account: "a", Profile: "v"}
		if _, err := v.Regenerate(t.Context(), user, "BTC", "", ""); err != nil {
			t.Fatal(err)
		}
		v.exec(t, `DROP INDEX deposit_addresses_current`)
		v.exec(t, `CREATE TABLE w AS SELECT * FROM deposit_wallets`)
		v.exec(t, `CREATE TABLE p AS SELECT * FROM deposit_pool`)
		v.exec(t, `CREATE TABLE a AS SELECT * FROM deposit_addresses`)
		restore := func() {
			for table, saved := range map[string]string{"deposit_wallets": "w", "deposit_pool": "p", "deposit_addresses": "a"} {
				v.exec(t, `DELETE FROM `+table)
				v.exec(t, `INSERT INTO `+table+` SELECT * FROM `+saved)
			}
		}
		type change struct{ row, statement string }
		const sol, btc = "SOL, wallet", "BTC, wallet"
		changes := []change{
			{btc, `DELETE FROM deposit_addresses WHERE wallet = 'BTC' AND idx = 0`},
			{btc, `DELETE FROM deposit_addresses WHERE wallet = 'BTC' AND idx = 3`},
			{sol, `DELETE FROM deposit_pool WHERE idx = 1`},
			{"BTC, assignment", `DELETE FROM deposit_wallets WHERE wallet = 'BTC'`},
			{"with index 9", `INSERT INTO deposit_addresses (wallet, idx, id, account, profile, address, memo, created_at, seal)
				SELECT wallet, 9, 'da_9', 'b', 'x', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '', created_at, seal
				FROM deposit_addresses WHERE idx = 2`},
			{"SOL, pool address with index 2", `INSERT INTO deposit_pool SELECT wallet, 2, '` + forged + `', seal FROM deposit_pool WHERE idx = 1`},
			{"SOL, pool address with index 1", `UPDATE deposit_pool SET address = '` + forged + `' WHERE idx = 1`},
			{"with index 1", `UPDATE deposit_addresses SET profile = CASE profile WHEN 'u' THEN 'v' ELSE 'u' END WHERE wallet = 'BTC'`},
			{"with index 3", `UPDATE deposit_addresses SET replaced_at = NULL, seal = '` + seal + `' WHERE wallet = 'BTC' AND idx = 2`},
			{"with index 0", `UPDATE deposit_addresses SET seal = '' WHERE wallet = 'BTC'`},
			{"with index 0", `UPDATE deposit_addresses SET replaced_at = -62135596800000000 WHERE replaced_at IS NOT NULL`}, // Go's zero time
			{"BTC, wallet", `UPDATE deposit_wallets SET seal = '' WHERE wallet = 'BTC'`},
		}
		for table, columns := range map[string][]string{
			"deposit_wallets":   {"fingerprint", "first_address", "confirmed_at", "next_index", "assigned", "pool", "stopped", "seal", "wallet"},
			"deposit_pool":      {"wallet", "idx", "address", "seal"},
			"deposit_addresses": {"wallet", "idx", "id", "account", "profile", "address", "memo", "request_key", "created_at", "replaced_at", "seal"},
		} {
			rows := []string{`wallet = 'BTC'`, `wallet = 'SOL'`}
			if table != "deposit_wallets" {
				rows = []string{`wallet = 'BTC' AND idx = 0`, `wallet = 'BTC' AND idx = 1`, `wallet = 'SOL' AND idx = 0`, `wallet = 'SOL' AND idx = 1`}
			}
			for _, row := range rows {
				for _, column := range columns {
					value := `COALESCE(` + column + `, '') || 'x'`
					if slices.Contains([]string{"confirmed_at", "next_index", "assigned", "pool", "idx", "created_at", "replaced_at"}, column) {
						value = `COALESCE(` + column + `, 0) + 7`
					}
					where := row[len(`wallet = '`):][:3]
					switch {
					case column == "wallet":
						where += "x, "
					case column != "idx" && table != "deposit_wallets":
						where = "with index " + row[len(row)-1:]
					}
					changes = append(changes, change{where, fmt.Sprintf(`UPDATE %s SET %s = %s WHERE %s`, table, column, value, row)})
				}
			}
		}
		if found := v.differences(t); len(found) > 0 {
			t.Fatalf("unchanged: got %q, want nothing", found)
		}
		made := 0
		for _, c := range changes {
			result, err := v.db.ExecContext(t.Context(), c.statement)
			if err != nil {
				t.Fatalf("%s: %v", c.statement, err)
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				continue // there is no such row
			}
			made++
			if found := strings.Join(v.differences(t), "\n"); !strings.Contains(found, c.row) {
				t.Errorf("%s: got %q, want %s", c.statement, found, c.row)
			}
			restore()
		}
		if made < 70 {
			t.Errorf("got %d changes, want more", made)
		}
		if found := v.differences(t); len(found) > 0 {
			t.Errorf("restored: got %q, want nothing", found)
		}
	})
}

// A forged row is neither shown nor looked up nor exported, and stops its wallet in all processes
// until the operator resumes it. No state is "ready" meanwhile.
func TestDeposits_ForgedRow(t *testing.T) {
	t.Parallel()
	const forged = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
	vaults(t, func(t *testing.T, v *vault) {
		v.fill(t)
		owned := mustAddress(t, v.Service, "v", "BTC")
		serving, other := v.process(t), v.process(t)
		v.exec(t, `UPDATE deposit_addresses SET address = $1 WHERE address = $2`, forged, owned)
		owner := func(s *deposits.Service, address string) core.Code {
			_, err := s.Owner(t.Context(), "", "BTC", core.DepositAddress{Address: core.Private(address)})
			return core.CodeOf(err)
		}
		if got := owner(serving, forged); got != core.Unavailable {
			t.Errorf("owner of the forged address: got %q", got)
		}
		if got := owner(serving, owned); got != core.Unavailable {
			t.Errorf("owner of the true address: got %q", got)
		}
		state := func(s *deposits.Service) deposits.Reason {
			all, err := s.Statuses(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return all[0].Reason
		}
		for name, s := range map[string]*deposits.Service{"another process": other, "a new process": v.process(t)} {
			if got := state(s); got != deposits.Tampered {
				t.Errorf("%s: got state %q, want tampered", name, got)
			}
			if _, err := address(t, s, "w", "BTC"); core.CodeOf(err) != core.Unavailable {
				t.Errorf("%s: got %v", name, err)
			}
			if n, err := s.Export(t.Context(), func(deposits.Record) error { return nil }); n != 0 || err == nil {
				t.Errorf("%s: exported %d, %v", name, n, err)
			}
		}
		if _, err := v.process(t).Resume(t.Context(), "BTC", 0); err == nil || !strings.Contains(err.Error(), "with index 2") {
			t.Errorf("resume: got %v, want the forged row", err)
		}
		v.exec(t, `UPDATE deposit_addresses SET address = $2 WHERE address = $1`, forged, owned)
		if n, err := v.process(t).Export(t.Context(), func(deposits.Record) error { return nil }); n != 0 || err == nil {
			t.Errorf("the wallet is still stopped: exported %d, %v", n, err)
		}
		if _, err := v.process(t).Resume(t.Context(), "BTC", 0); err != nil {
			t.Fatal(err)
		}
		serving.Refresh(t.Context())
		if got := state(serving); got != "" {
			t.Errorf("resumed: got state %q", got)
		}
		if got := owner(serving, owned); got != "" {
			t.Errorf("resumed: got %q", got)
		}
	})
}

// The hourly audit finds rows that no request reads, and a pool that was changed before its
// addresses are assigned.
func TestDeposits_Audit(t *testing.T) {
	t.Parallel()
	vaults(t, func(t *testing.T, v *vault) {
		v.fill(t)
		v.exec(t, `UPDATE deposit_pool SET address = 'Vote111111111111111111111111111111111111111' WHERE idx = 1`)
		v.exec(t, `DELETE FROM deposit_addresses WHERE wallet = 'BTC' AND profile = 'v'`)
		serving := v.process(t)
		if _, err := address(t, serving, "w", "SOL"); core.CodeOf(err) != core.Unavailable {
			t.Errorf("a forged pool address: got %v", err)
		}
		serving.Audit(t.Context())
		if _, err := address(t, serving, "v", "BTC"); core.CodeOf(err) != core.Unavailable {
			t.Errorf("a deleted row: got %v, want no second address", err)
		}
	})
}

// An older database is not used: a running process, and one with the file of the highest indexes,
// refuse to assign indexes again until the operator skips them.
func TestDeposits_RestoredDatabase(t *testing.T) {
	t.Parallel()
	vaults(t, func(t *testing.T, v *vault) {
		v.fill(t)
		v.exec(t, `CREATE TABLE w AS SELECT * FROM deposit_wallets`)
		later := mustAddress(t, v.Service, "later", "BTC") // after the backup
		v.exec(t, `DELETE FROM deposit_addresses WHERE profile = 'later'`)
		v.exec(t, `DELETE FROM deposit_wallets`)
		v.exec(t, `INSERT INTO deposit_wallets SELECT * FROM w`)
		fresh := v.process(t)
		for name, s := range map[string]*deposits.Service{"running": v.Service, "new": fresh} {
			if _, err := address(t, s, "x", "BTC"); core.CodeOf(err) != core.Unavailable || !strings.Contains(err.Error(), "restored") {
				t.Errorf("%s process: got %v, want an error about the restore", name, err)
			}
			_, err := s.Owner(t.Context(), "", "BTC", core.DepositAddress{Address: core.Private(later)})
			if core.CodeOf(err) != core.Unavailable {
				t.Errorf("%s process: the owner of a lost assignment is %v, want unavailable", name, err)
			}
			if status, err := s.Statuses(t.Context()); err != nil || status[0].Reason != deposits.RolledBack {
				t.Errorf("%s process: got %+v, %v", name, status, err)
			}
		}
		if _, err := fresh.Resume(t.Context(), "BTC", 3); err == nil || !strings.Contains(err.Error(), "--next 4") {
			t.Errorf("resume below: got %v", err)
		}
		if status, err := fresh.Resume(t.Context(), "BTC", 4); err != nil || status.Next != 4 || status.Reason != "" {
			t.Errorf("resume: got %+v, %v", status, err)
		}
		if got := mustAddress(t, v.Service, "x", "BTC"); got == later {
			t.Error("the address was assigned twice")
		}
		if found := v.differences(t); len(found) > 0 {
			t.Errorf("got %q, want nothing", found)
		}
	})
}

// A database of a version without seals assigns nothing until the operator seals it, and a database
// gets the seals of a new key with the previous one.
func TestDeposits_Seal(t *testing.T) {
	t.Parallel()
	vaults(t, func(t *testing.T, v *vault) {
		v.fill(t)
		if err := os.Remove(filepath.Join(v.State.Dir, "deposit-indexes.json")); err != nil {
			t.Fatal(err)
		}
		unseal := func() {
			for _, table := range []string{"deposit_wallets", "deposit_pool", "deposit_addresses"} {
				v.exec(t, `UPDATE `+table+` SET seal = ''`)
			}
			v.exec(t, `UPDATE deposit_wallets SET assigned = 0, pool = 0`)
		}
		unseal()
		if _, err := address(t, v.process(t), "v", "BTC"); core.CodeOf(err) != core.Unavailable || !strings.Contains(err.Error(), "deposits seal") {
			t.Errorf("without seals: got %v", err)
		}
		v.exec(t, `UPDATE deposit_addresses SET address = 'x' WHERE wallet = 'BTC' AND idx = 0`)
		if n, err := v.process(t).Seal(t.Context()); n != 0 || err == nil {
			t.Errorf("with a forged address: sealed %d, %v", n, err)
		}
		v.exec(t, `UPDATE deposit_addresses SET address = (SELECT first_address FROM deposit_wallets WHERE wallet = 'BTC') WHERE address = 'x'`)
		if n, err := v.process(t).Seal(t.Context()); n != 8 || err != nil {
			t.Errorf("sealed %d, %v; want 8", n, err)
		}
		mustAddress(t, v.process(t), "v", "BTC")
		const next = core.Secret("another secret of 32 characters or more")
		if n, err := v.process(t, next).Seal(t.Context()); n != 8 || err != nil {
			t.Errorf("new key: sealed %d, %v; want 8", n, err)
		}
		if found := v.differences(t); len(found) != 8 {
			t.Errorf("with the previous key: got %q, want all rows", found)
		}
		if found := v.differences(t, next); len(found) > 0 {
			t.Errorf("with the new key: got %q", found)
		}
		unseal()
		if _, err := v.process(t).Seal(t.Context()); err == nil || !strings.Contains(err.Error(), "removed") {
			t.Errorf("removed seals: got %v, want an error", err)
		}
	})
}

// The commands end with an error if a row or an export is wrong, and say what was compared.
func TestDepositsCommand(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.State.Dir = t.TempDir()
	v := newVault(t, cfg)
	v.fill(t)
	settings, export := filepath.Join(cfg.State.Dir, "causeway.yaml"), filepath.Join(cfg.State.Dir, "export")
	text, err := json.Marshal(map[string]any{
		"state": map[string]string{"dir": cfg.State.Dir}, "privacy": map[string]core.Secret{},
		"deposits": map[string]any{"wallets": map[string]string{"BTC": bip84, "SOL": "pool"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) (string, error) {
		return run(t, "", append([]string{"deposits", "--config", settings}, args...)...)
	}
	write(settings, string(text))
	if _, err := command("status"); err == nil || !strings.Contains(err.Error(), "privacy.hash_key") {
		t.Errorf("without a key: got %v", err)
	}
	write(settings, strings.Replace(string(text), `"privacy":{}`, `"privacy":{"hash_key":"`+hashKey.Reveal()+`"}`, 1))
	out, err := command("export")
	if err != nil || !strings.HasSuffix(out, "{\"end_of_records\":4}\n") {
		t.Fatalf("export: %q, %v", out, err)
	}
	write(export, out)
	if out, err := command("verify", "--export", export); err != nil || !strings.Contains(out, "4 records of the export compared") {
		t.Errorf("verify: %q, %v", out, err)
	}
	write(export, "")
	if out, err := command("verify", "--export", export); err == nil || !strings.Contains(out, "0 records compared") {
		t.Errorf("empty export: %q, %v", out, err)
	}
	v.exec(t, `UPDATE deposit_addresses SET replaced_at = 5 WHERE idx = 1`)
	if out, err := command("verify"); err == nil || !strings.Contains(out, "BTC, assignment da_") {
		t.Errorf("verify: %q, %v", out, err)
	}
	if out, err := command("export"); err == nil || out != "" {
		t.Errorf("export: %q, %v", out, err)
	}
	v.exec(t, `UPDATE deposit_addresses SET replaced_at = NULL WHERE idx = 1`)
	if out, err := command("resume", "BTC", "--next", "10"); err != nil || !strings.Contains(out, "BTC is ready; its next index is 10") {
		t.Errorf("resume: %q, %v", out, err)
	}
	if out, err := command("seal"); err != nil || !strings.Contains(out, "0 rows sealed") {
		t.Errorf("seal: %q, %v", out, err)
	}
}
