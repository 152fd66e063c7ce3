package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const resolutions = 2000

// resolveLatency is the median time of one account resolution after another, each of another account, so that no
// answer can come from anywhere but the simulated provider.
func resolveLatency(ctx context.Context, url string) (time.Duration, error) {
	client := &http.Client{}
	took := make([]time.Duration, 0, resolutions)
	for n := range resolutions {
		body := fmt.Sprintf(`{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"001","account_number":"%07d200"}`, n)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/recipients/resolve-bank-account", strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		begin := time.Now()
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
		if err := resp.Body.Close(); err != nil {
			return 0, err
		}
		if resp.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("resolution answered %d", resp.StatusCode)
		}
	}
	return median(took), nil
}
