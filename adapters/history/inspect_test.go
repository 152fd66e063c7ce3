package history_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"causeway/adapters/history"
	"causeway/core"
)

// note writes one point, of two steps, into an archive, and closes it.
func note(t *testing.T, a *history.Archive, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	stop := running(t, a)
	if err := a.Record(t.Context(), midnight(), mids(100)[:1]); err != nil {
		t.Fatal(err)
	}
	stop()
}

func TestAFileIsLookedAt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "history.db")
	if got, err := history.InspectFile(t.Context(), file); err != nil || got.Prepared || !got.MayPrepare {
		t.Errorf("before there is one: %+v, %v", got, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("looking made it")
	}
	a, err := history.OpenFile(t.Context(), file, later, nil, nil)
	note(t, a, err)
	if got, err := history.InspectFile(t.Context(), file); err != nil || !got.Prepared || got.ReadOnly || got.Points != 2 || !got.Newest.Equal(midnight()) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := history.InspectFile(t.Context(), file); err == nil {
		t.Errorf("a file that is none: %+v", got)
	}
}

func TestADatabaseIsLookedAt(t *testing.T) {
	t.Parallel()
	url := database(t)
	if got, err := history.InspectPostgres(t.Context(), url); err != nil || got.Prepared || !got.MayPrepare || got.ReadOnly || got.Version == "" {
		t.Errorf("before it is prepared: %+v, %v", got, err)
	}
	a, err := history.OpenPostgres(t.Context(), url, later, nil, nil)
	note(t, a, err)
	if got, err := history.InspectPostgres(t.Context(), url); err != nil || !got.Prepared || got.Points != 2 || !got.Newest.Equal(midnight()) {
		t.Errorf("%+v, %v", got, err)
	}
	db, err := sql.Open("pgx", url.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	execute(t, db, "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'planted'")
	reader := core.Secret(strings.Replace(url.Reveal(), "postgres://postgres@", "postgres://reader:planted@", 1))
	for _, step := range []struct{ grant, want string }{ // each after those before
		{"SELECT 1", "goose_db_version (SELECT)"},
		{"GRANT SELECT, INSERT ON rate_points TO reader", "goose_db_version (SELECT)"},
		{"GRANT SELECT ON goose_db_version TO reader", "tidy the table rate_points"},
		{"GRANT DELETE ON rate_points TO reader", ""},
		{"DROP TABLE goose_db_version", "without goose_db_version"},
	} {
		execute(t, db, step.grant)
		_, looked := history.InspectPostgres(t.Context(), reader)
		if (looked == nil) != (step.want == "") || looked != nil && !strings.Contains(looked.Error(), step.want) {
			t.Errorf("after %s: %v, want %q", step.grant, looked, step.want)
		}
		opened, err := history.OpenPostgres(t.Context(), reader, later, nil, nil)
		if looked == nil && err != nil {
			t.Errorf("after %s the start fails: %v", step.grant, err)
		}
		if err == nil {
			note(t, opened, nil)
		}
	}
	for address, want := range map[core.Secret]string{
		"postgres://u:planted@127.0.0.1:1/x": "nobody listens",
		"planted://":                         "not the URL",
		core.Secret(strings.Replace(url.Reveal(), "@/test", "@/no_such_test", 1)): "no database of that name",
	} {
		if _, err := history.InspectPostgres(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
