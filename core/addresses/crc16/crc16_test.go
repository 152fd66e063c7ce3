package crc16_test

import (
	"testing"

	"causeway/core/addresses/crc16"
)

// TestSum uses the catalogue of CRCs.
func TestSum(t *testing.T) {
	t.Parallel()
	if got := crc16.Sum([]byte("123456789")); got != 0x31c3 {
		t.Errorf("got %x, want 31c3", got)
	}
}
