package httpapi_test

import "testing"

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newWorld(b)
	}
}
