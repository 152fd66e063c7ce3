package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"causeway/core"
)

// Status describes a database.
type Status struct {
	Migrated bool // false: the next start creates or updates the tables, and the following fields are empty
	Keys     []core.Key
	Points   int // of price history
}

// Inspect reads a database without changing it. An error says what to do.
func Inspect(ctx context.Context, cfg Config) (Status, error) {
	if cfg.URL == "" && cfg.Dir != "" {
		if _, err := os.Stat(filepath.Join(cfg.Dir, fileName)); errors.Is(err, fs.ErrNotExist) {
			return Status{}, nil
		}
	}
	s, err := connect(cfg)
	if err != nil {
		return Status{}, err
	}
	defer func() { _ = s.Close() }()
	var status Status
	err = s.try(ctx, func(ctx context.Context) error {
		status, err = s.status(ctx)
		return err
	})
	return status, err
}

func (s *Store) status(ctx context.Context) (status Status, err error) {
	tables := `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`
	if s.postgres {
		var standby bool
		if err := s.db.QueryRowContext(ctx, `SELECT pg_is_in_recovery()`).Scan(&standby); err != nil {
			return status, err
		}
		if standby {
			return status, refuse("PostgreSQL is a read-only standby; point storage.url to the primary server")
		}
		tables = `SELECT count(to_regclass('goose_db_version'))`
	} else if err := quickCheck(ctx, s.db); err != nil {
		return status, err
	}
	var version int
	if err := s.db.QueryRowContext(ctx, tables).Scan(&version); err != nil || version == 0 {
		return status, err
	}
	if err := s.db.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&version); err != nil {
		return status, err
	}
	known, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || version < len(known) {
		return status, err
	}
	status.Migrated = true
	stored, err := s.readAllKeys(ctx)
	if err != nil {
		return status, err
	}
	for _, k := range stored {
		status.Keys = append(status.Keys, k.Key)
	}
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM price_history`).Scan(&status.Points)
	return status, err
}
