package history_test

import (
	"os"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/adapters/history"
	"causeway/core"
	"causeway/ports"
)

// A database that is away at the start is used once it is there: what it has can be asked for, and what came meanwhile is in it.
func TestADatabaseThatComesLate(t *testing.T) {
	t.Parallel()
	url := database(t)
	before := opened(t)(history.OpenPostgres(t.Context(), url, later, nil, failed(t)))
	note(t, before, nil)

	place := t.TempDir()
	late := core.Secret(strings.Replace(url.Reveal(), "host="+server.dir, "host="+place+"&password=hush-hush", 1))
	var told []error
	a, err := history.OpenPostgres(t.Context(), late, later, nil, func(err error) { told = append(told, err) })
	if err != nil || len(told) != 1 || strings.Contains(told[0].Error(), "hush-hush") {
		t.Fatalf("while it is away: %v, told %v; want it told once", err, told)
	}
	next := midnight().Add(ports.FineStep)
	if err := a.Record(t.Context(), next, mids(200)[:1]); err != nil {
		t.Fatal(err)
	}
	if err := history.Write(t.Context(), a); err == nil {
		t.Fatal("what cannot be written is written")
	}
	socket := "/.s.PGSQL." + server.port
	if err := os.Symlink(server.dir+socket, place+socket); err != nil {
		t.Fatal(err)
	}
	running(t, a)() // tries at once
	for name, a := range map[string]*history.Archive{"who waited": a, "who comes after": opened(t)(history.OpenPostgres(t.Context(), url, later, nil, failed(t)))} {
		got, err := a.Read(t.Context(), bitcoin(), midnight(), ports.FineStep, 2)
		if err != nil || len(got) != 2 || !got[0].Mid.Equal(decimal.New(100, -2)) || !got[1].Mid.Equal(decimal.New(200, -2)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
}

func TestAnAnswerThatRefusesIsNoAbsence(t *testing.T) {
	t.Parallel()
	url := database(t).Reveal()
	for name, address := range map[string]string{
		"no such user":     strings.Replace(url, "postgres://postgres@", "postgres://nobody:hush-hush@", 1),
		"no such database": strings.Replace(url, "@/test", "@/no_such_test", 1),
	} {
		if _, err := history.OpenPostgres(t.Context(), core.Secret(address), later, nil, failed(t)); err == nil || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
