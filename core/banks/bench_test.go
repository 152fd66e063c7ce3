package banks_test

import (
	"fmt"
	"testing"

	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// BenchmarkFirstLists measures the first merge of six directories, each with most of 300 institutions.
func BenchmarkFirstLists(b *testing.B) {
	var known []core.Bank
	for i := range 300 {
		known = append(known, bank("NG", fmt.Sprintf("09%04d", 1000+i), fmt.Sprintf("Number%d Microfinance Bank", i), core.CBN, fmt.Sprint(50000+i)))
	}
	var directories []ports.BankDirectory
	for d := range 6 {
		var rows []core.Bank
		for i := d; i < len(known); i++ { // some are missing from some lists
			own := fmt.Sprint(50000 + i)
			rows = append(rows, bank("NG", own, fmt.Sprintf("Number%d MFB", i), "own", own))
		}
		directories = append(directories, listing(fmt.Sprintf("directory%d", d), rows...))
	}
	b.ReportAllocs()
	for b.Loop() {
		s := service(b, known, directories...)
		published := 0
		s.Subscribe(func(l *banks.List) { published++ })
		s.Tick(b.Context())
		if got := s.States()[5].Joined; got != 295 || published != 2 {
			b.Fatalf("got %d joined and %d publications, want 295 and 2", got, published)
		}
	}
}
