package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"causeway/config"
	"causeway/core"
	"causeway/core/deposits"
	"causeway/ports"
)

var scaleAddresses = flag.Int("addresses", 2_000, "addresses in BenchmarkDeposits_Verify; make scale takes up to a million")

// BenchmarkDeposits_Verify prints how long it takes to verify, export and compare many addresses, and the most memory
// that the heap takes meanwhile.
func BenchmarkDeposits_Verify(b *testing.B) {
	b.ReportMetric(0, "ns/op") // the table is the result
	cfg := config.Default()
	cfg.State.Dir = b.TempDir()
	v := newVault(b, cfg)
	v.addMany(b, *scaleAddresses)
	report := func(x deposits.Difference) { b.Error(x) }
	if rows, err := v.Seal(b.Context()); err != nil || rows < *scaleAddresses {
		b.Fatalf("sealed %d rows, %v", rows, err)
	}
	export := filepath.Join(b.TempDir(), "export")
	fmt.Printf("\n%d addresses, SQLite, %d processors\n", *scaleAddresses, runtime.GOMAXPROCS(0))
	for _, op := range []struct {
		name string
		run  func(file *os.File) (int, error)
	}{
		{"verify", func(*os.File) (int, error) { n, _, err := v.Verify(b.Context(), report); return n, err }},
		{"export", func(file *os.File) (int, error) {
			out := bufio.NewWriter(file)
			lines := json.NewEncoder(out)
			n, err := v.Export(b.Context(), func(r deposits.Record) error { return lines.Encode(r) })
			return n, errors.Join(err, lines.Encode(deposits.End{Records: n}), out.Flush())
		}},
		{"compare", func(file *os.File) (int, error) {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return 0, err
			}
			return v.Compare(b.Context(), file, func(line int) { b.Errorf("record %d differs", line) })
		}},
	} {
		file, err := os.OpenFile(export, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		began, stop := time.Now(), watchHeap()
		if n, err := op.run(file); err != nil || n != *scaleAddresses {
			b.Fatalf("%s: got %d, %v", op.name, n, err)
		}
		fmt.Printf("  %-10s %8.2f s %8.1f MB\n", op.name, time.Since(began).Seconds(), stop())
		_ = file.Close()
	}
}

// watchHeap measures the heap until stop is called, which returns the largest size in MB above the one at the start.
func watchHeap() (stop func() float64) {
	heap := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	runtime.GC()
	first, most, done := heap(), 0.0, make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for ticker := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
				most = max(most, heap())
			}
		}
	})
	return func() float64 {
		close(done)
		work.Wait()
		return max(0, most-first)
	}
}

// addMany writes assignments without seals, as a version without seals did.
func (v *vault) addMany(b *testing.B, count int) {
	b.Helper()
	if _, err := v.Confirm(b.Context(), "BTC"); err != nil {
		b.Fatal(err)
	}
	sources, err := v.Deposits.Sources()
	if err != nil {
		b.Fatal(err)
	}
	const rowsPerStatement = 5_000
	for from := 0; from < count; from += rowsPerStatement {
		rows := make([][]any, min(rowsPerStatement, count-from))
		var work sync.WaitGroup
		for worker := range runtime.GOMAXPROCS(0) {
			work.Go(func() {
				for i := worker; i < len(rows); i += runtime.GOMAXPROCS(0) {
					index := int64(from + i)
					made, err := sources["BTC"].Address(index, "")
					if err != nil {
						panic(err)
					}
					d := ports.DepositRequest{Binding: core.DepositBinding{Wallet: "BTC"}}.Deposit(index, "", made)
					rows[i] = []any{index, d.ID, strconv.Itoa(from + i), made.Address.Reveal()}
				}
			})
		}
		work.Wait()
		text, err := json.Marshal(rows)
		if err != nil {
			b.Fatal(err)
		}
		v.exec(b, `INSERT INTO deposit_addresses (wallet, idx, id, account, profile, address, memo, created_at)
			SELECT 'BTC', value->>0, value->>1, 'a', value->>2, value->>3, '', value->>0 FROM json_each($1)`, string(text))
	}
	v.exec(b, `UPDATE deposit_wallets SET next_index = $1, assigned = $1, seal = ''`, count)
}
