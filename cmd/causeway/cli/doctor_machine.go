package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/server"
)

const expiresSoon = 14 * 24 * time.Hour

// checks are those with one result. Providers have several; see doctor.providers.
var checks = []struct {
	name string
	run  func(*doctor, context.Context) result
}{
	{"certificate", (*doctor).certificate},
	{"redis", (*doctor).redis},
	{"database", (*doctor).database},
	{"state directory", (*doctor).stateDir},
}

// certificate checks the certificate of the public listener.
func (d *doctor) certificate(context.Context) result {
	if !d.cfg.TLS.On() {
		return skip("none is configured: plain HTTP, for a proxy that terminates TLS")
	}
	pair, err := server.ReadCertificate(d.cfg.TLS)
	if err == nil {
		err = server.CheckValidity(pair.Leaf, d.env.Clock())
	}
	if err != nil {
		return fail(err.Error(), "put a valid certificate and its key there, in PEM, readable by the user that runs causeway")
	}
	found := fmt.Sprintf("for %s, until %s", strings.Join(pair.Leaf.DNSNames, ", "),
		pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	if pair.Leaf.NotAfter.Sub(d.env.Clock()) < expiresSoon {
		return warn(found, "renew it, and check why it was not renewed; a running process reads new files by itself")
	}
	return pass(found)
}

func (d *doctor) redis(ctx context.Context) result {
	switch {
	case d.cfg.Redis.URL == "":
		return skip("none is configured: each process works alone")
	case d.offline:
		return skip("not called")
	}
	if err := redis.Inspect(ctx, d.cfg.Redis); err != nil {
		return fail(err.Error(), "each process works alone until Redis responds")
	}
	return pass("all commands work")
}

// database reads the API keys and the price history without changing anything.
func (d *doctor) database(ctx context.Context) result {
	switch {
	case !d.cfg.Database().Enabled():
		return warn("none is configured: price history is in memory, and only keys of auth.keys work",
			"set state.dir, or storage.url for several machines: otherwise percentage_change is 0 for a day after each start")
	case d.cfg.Storage.URL != "" && d.offline:
		return skip("PostgreSQL is not called")
	}
	status, err := storage.Inspect(ctx, d.cfg.Database())
	switch {
	case err != nil:
		return fail(err.Error(), "until then the service does not start, or requests with an API key get 503")
	case !status.Migrated:
		return pass("the start creates or updates its tables")
	}
	return d.judgeDatabase(status)
}

func (d *doctor) judgeDatabase(status storage.Status) result {
	now, valid := d.env.Clock(), 0
	var soon []string
	for _, k := range status.Keys {
		if k.Live(now) {
			valid++
			if !k.Expires.IsZero() && k.Expires.Sub(now) < expiresSoon {
				soon = append(soon, fmt.Sprintf("%s (%s) on %s", k.ID, k.Name, k.Expires.Format(time.DateOnly)))
			}
		}
	}
	found := fmt.Sprintf("%d of %d API keys are valid; %d points of price history", valid, len(status.Keys), status.Points)
	switch {
	case valid == 0 && len(d.cfg.KeyedOperations()) > 0 && len(d.cfg.Auth.Keys) == 0:
		return warn(found+"; operations that need a key refuse all requests", "causeway keys create --name NAME")
	case len(soon) > 0:
		return warn(found+"; these keys expire soon: "+strings.Join(soon, ", "),
			"causeway keys rotate ID, and give the holder the new key")
	}
	return pass(found)
}

// stateDir checks that the state directory can be written to.
func (d *doctor) stateDir(context.Context) result {
	dir := d.cfg.State.Dir
	if dir == "" {
		return skip("none is configured: state does not survive the process")
	}
	const remedy = "make it a directory of the user that runs causeway, with mode 0700, and run doctor as that user"
	probe, err := os.CreateTemp(dir, ".doctor-*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warn(dir+" does not exist", "causeway creates it if it may; otherwise "+remedy)
	case err != nil:
		return fail(err.Error(), remedy)
	}
	_, _ = probe.Close(), os.Remove(probe.Name())
	return pass(dir + " is writable")
}
