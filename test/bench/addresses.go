package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	listLines  = 1_000_000
	batchItems = 1000
	batches    = 31
)

// addressTargets are the promises about single formats, and the mean over the cases.
var addressTargets = map[string]string{
	"Validate/BTC-bech32": "≤ 400 ns, ≤ 1", "Validate/ETH-eip55": "≤ 900 ns, ≤ 1", "Validate/TRX": "≤ 1200 ns, ≤ 1", "Cases": "≤ 1000 ns",
}

// benchAddresses prints what judging addresses costs: in process by format, over HTTP in batches, and from the command line.
func benchAddresses(ctx context.Context, out io.Writer, url, binary string) error {
	formats, err := goBenchmarks(ctx, "core/addresses", "Validate|Cases", "-benchtime=100ms", "-count=5")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\naddress, in process, one core\tns\tallocations\t\ttarget")
	for _, f := range formats {
		name := strings.TrimPrefix(strings.TrimPrefix(f.name, "Validate/"), "Cases")
		fmt.Fprintf(out, "%s\t%.0f\t%d\t\t%s\n", cmp.Or(name, "mean over all cases"), f.ns, f.allocations, addressTargets[f.name])
	}
	inputs, err := goBenchmarks(ctx, "core/addresses", "BadInput|Hostile", "-benchtime=20ms", "-count=3")
	if err != nil {
		return err
	}
	slowest := slices.MaxFunc(inputs, func(a, b timing) int { return cmp.Compare(a.ns, b.ns) })
	fmt.Fprintf(out, "slowest of %d bad inputs: %s\t%.0f\t%d\t\t< 50000 ns\n", len(inputs), slowest.name, slowest.ns, slowest.allocations)

	list, err := caseList()
	if err != nil {
		return err
	}
	took, err := batchLatency(ctx, url, list)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPOST /v1/validate/batch, %d items, p50\t%s\t\t\t< 25 ms\n", batchItems, took.Round(10*time.Microsecond))
	whole, err := listDuration(ctx, binary, list)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "causeway validate --file, %d lines, one core\t%s\t\t\t< 20 s\n", listLines, whole.Round(10*time.Millisecond))
	return nil
}

// question is one line of a list, and one item of a batch.
type question struct {
	Type     string  `json:"type"`
	Currency string  `json:"currency"`
	Network  string  `json:"network"`
	Address  string  `json:"address"`
	Memo     *string `json:"memo,omitempty"`
}

// caseList is the reference cases of the main networks, by our codes of these.
func caseList() ([]question, error) {
	networks, err := os.ReadFile("test/testdata/networks.csv")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(networks)).ReadAll()
	if err != nil {
		return nil, err
	}
	codes := map[string]string{}
	for _, row := range rows[1:] {
		codes[row[0]] = row[1]
	}
	file, err := os.Open("core/addresses/testdata/cases.jsonl")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var list []question
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, err
		}
		if code := codes[q.Network]; code != "" && len(q.Address) <= 512 {
			q.Type, q.Network = "address", code
			list = append(list, q)
		}
	}
	return list, lines.Err()
}

// batchLatency is the median time of a full batch on one connection.
func batchLatency(ctx context.Context, url string, list []question) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{"items": list[:batchItems]})
	if err != nil {
		return 0, err
	}
	client := &http.Client{}
	took := make([]time.Duration, 0, batches)
	for range batches {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/validate/batch", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header.Set("Content-Type", "application/json")
		begin := time.Now()
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		took = append(took, time.Since(begin))
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return 0, err
		}
		if resp.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("the batch answered %d", resp.StatusCode)
		}
	}
	return median(took), nil
}

// listDuration is how long the command takes for a long CSV list, on one core.
func listDuration(ctx context.Context, binary string, list []question) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "causeway-bench")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "list.csv")
	if err := writeList(path, list); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, binary, "validate", "--file", path)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	begin := time.Now()
	err = cmd.Run() // what it prints is thrown away
	return time.Since(begin), err
}

func writeList(path string, list []question) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(bufio.NewWriterSize(file, 1<<20))
	err = w.Write([]string{"id", "currency", "network", "address", "memo"})
	for i := 0; i < listLines && err == nil; i++ {
		q, memo := list[i%len(list)], ""
		if q.Memo != nil {
			memo = *q.Memo
		}
		err = w.Write([]string{strconv.Itoa(i), q.Currency, q.Network, q.Address, memo})
	}
	w.Flush()
	return errors.Join(err, w.Error(), file.Close())
}
