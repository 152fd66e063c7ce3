package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/cmd/causeway/cli/sim"
	"causeway/simulator"
)

// TestWhatIsRecordedIsPlayed records two venues for a minute, and plays that in a world where it is an hour earlier: its price is the recorded one.
func TestWhatIsRecordedIsPlayed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 16, 13, 0, 0, 0, time.UTC))) // of the bubble
		var tape bytes.Buffer
		r := sim.Recording{Sources: []string{"kraken", "coinbase"}, Lasts: time.Minute, Every: 10 * time.Second}
		began := time.Now()
		if err := record(t.Context(), r, settings(t, "CAUSEWAY_SIMULATOR__SEED=causeway"), zap.NewNop(), &tape); err != nil {
			t.Fatal(err)
		}
		played := simulator.Tape{Recorded: began, Lasts: simulator.Duration(time.Minute)}
		heard := map[string]int{}
		for line := range strings.Lines(tape.String()) {
			var e simulator.TapeEntry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			heard[e.Provider]++
			played.Entries = append(played.Entries, e)
			if strings.Contains(line, "uthorization") || e.Query != nil {
				t.Errorf("there is more on it than prices: %s", line)
			}
		}
		if heard["kraken"] != 6 || heard["coinbase"] < 6 || len(heard) != 2 {
			t.Fatalf("recorded %v", heard)
		}
		a := newSandbox(t)
		w, err := a.Worlds.Find(simulator.DefaultWorld)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Tapes().Play(played, w.Now()); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			time.Sleep(2 * time.Second)
			a.RefreshPrices(t.Context())
		}
		rec := httptest.NewRecorder()
		a.Handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs/BTCGBP/price", http.NoBody))
		bids := regexp.MustCompile(`"bid":"([0-9.]+)"`).FindAllStringSubmatch(rec.Body.String(), -1)
		fromTape := 0
		for _, bid := range bids {
			if strings.Contains(tape.String(), `"`+bid[1]) {
				fromTape++
			}
		}
		if fromTape < 2 {
			t.Errorf("%d votes are on the tape: %s", fromTape, rec.Body)
		}
	})
}

func TestWhatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for word, r := range map[string]sim.Recording{
			"accepted: binance, busha, bybit": {Sources: []string{"kraken", "mtgox"}, Lasts: time.Minute, Every: time.Minute},
			"--every is below 1s":             {Sources: []string{"kraken"}, Lasts: time.Minute, Every: time.Millisecond},
			"--for is not above zero":         {Sources: []string{"kraken"}, Every: time.Minute},
			"the tape is full after":          {Sources: []string{"kraken", "okx", "binance"}, Lasts: time.Hour, Every: time.Second},
			"no space left":                   {Sources: []string{"okx"}, Lasts: time.Minute, Every: time.Second},
		} {
			out := &limitedFile{most: map[bool]int{true: 1, false: mostTaped}[word == "no space left"]}
			if err := record(t.Context(), r, settings(t), zap.NewNop(), out); err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%q: %v", word, err)
			}
		}
	})
}

// TestOwnTablesSayWhatIsRecorded has tables that cannot be read.
func TestOwnTablesSayWhatIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "currencies.yaml"), []byte("source: [ours]\ndate: today\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := sim.Recording{Sources: []string{"kraken"}, Lasts: 2 * time.Second, Every: time.Second}
		if err := record(t.Context(), r, settings(t, "CAUSEWAY_CATALOG__DIR="+dir), zap.NewNop(), io.Discard); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	})
}

// limitedFile takes so many bytes and no more.
type limitedFile struct{ most int }

func (f *limitedFile) Write(p []byte) (int, error) {
	if f.most -= len(p); f.most < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}
