package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/app"
	"causeway/config"
)

const (
	megabyte     = 1 << 20
	expiresSoon  = 14 * 24 * time.Hour
	othersAccess = 0o077 // mode bits that give others access to the state directory
	keyAccess    = 0o027 // mode bits that a key file should not have; a group may read it, as with Debian's ssl-cert
)

// certificate checks the certificate of the public listener.
func (d *doctor) certificate(context.Context) result {
	files := d.cfg.TLS
	if !files.On() {
		return skip("none is configured: plain HTTP, for a proxy that terminates TLS")
	}
	pair, err := loadCertificate(files)
	if err != nil {
		return fail(strings.ReplaceAll(err.Error(), "\n", "; "),
			"put the certificate and its key there, in PEM, readable by the user that runs causeway")
	}
	leaf, now := pair.Leaf, d.env.Clock()
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	info, err := os.Stat(files.KeyFile)
	found := fmt.Sprintf("for %s, until %s", strings.Join(leaf.DNSNames, ", "), until)
	switch {
	case leaf.NotAfter.Before(now):
		return fail("it expired at "+until, "renew it; a running process reads new files by itself")
	case leaf.NotBefore.After(now):
		return fail("it is not valid before "+leaf.NotBefore.UTC().Format(time.RFC3339), "check the clock of this machine")
	case leaf.NotAfter.Sub(now) < expiresSoon:
		return warn(found, "renew it, and check why it was not renewed; a running process reads new files by itself")
	case err == nil && info.Mode().Perm()&keyAccess != 0:
		return warn(fmt.Sprintf("%s is open to others (%s)", files.KeyFile, info.Mode().Perm()), "chmod 0600 "+files.KeyFile)
	}
	return pass(found)
}

// loadCertificate reads the certificate files. The errors of crypto/tls contain no part of the key.
func loadCertificate(files config.TLS) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	if err != nil {
		return pair, fmt.Errorf("tls.cert_file %s and tls.key_file %s: %w", files.CertFile, files.KeyFile, err)
	}
	return pair, nil
}

func (d *doctor) redis(ctx context.Context) result {
	switch {
	case d.cfg.Redis.URL == "":
		return skip("none is configured: each process works alone")
	case d.offline:
		return skip("not called")
	}
	roundTrip, err := redis.Inspect(ctx, d.cfg.Redis, d.env.Clock)
	if err != nil {
		return fail(err.Error(), "each process works alone until Redis responds")
	}
	return pass(fmt.Sprintf("all commands work; slowest round trip %s", roundTrip.Round(10*time.Microsecond)))
}

// database reads the API keys and the price history without changing anything.
func (d *doctor) database(ctx context.Context) result {
	switch {
	case !d.cfg.Database().Enabled():
		return warn("none is configured: price history is in memory, and keys are those of auth.keys",
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
	const owner = "owned by the user that runs causeway, with mode 0700"
	dir := d.cfg.State.Dir
	if dir == "" {
		return skip("none is configured: state does not survive the process")
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(filepath.Clean(dir))); err != nil {
			return fail(dir+" does not exist, nor does its parent directory", "create it, "+owner)
		}
		return warn(dir+" does not exist", "causeway creates it if it may; otherwise create it, "+owner)
	case err != nil:
		return fail(err.Error(), "give the user that runs causeway access to it")
	case !info.IsDir():
		return fail(dir+" is not a directory", "set state.dir to a directory")
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return fail(dir+" is not writable by this user", "make it "+owner+", and run doctor as that user")
	}
	_, _ = probe.Close(), os.Remove(probe.Name())
	if info.Mode().Perm()&othersAccess != 0 {
		return warn(fmt.Sprintf("%s is open to others (%s)", dir, info.Mode().Perm()), "chmod 0700 "+dir)
	}
	return pass(dir + " is writable")
}

func (*doctor) memory(context.Context) result {
	limit, err := memlimit.FromCgroup()
	if err != nil { // memlimit.ErrNoLimit, or a system without control groups
		return pass("no control group limits it")
	}
	return judgeMemory(limit)
}

func judgeMemory(limit uint64) result {
	const (
		least  = 80 * megabyte // what a process uses under load
		enough = 192 * megabyte
	)
	found := fmt.Sprintf("the control group allows %d MiB", limit/megabyte)
	switch {
	case limit < least:
		return fail(found, "allow 256 MiB; with less the process is killed under load")
	case limit < enough:
		return warn(found, "allow 256 MiB")
	}
	return pass(found)
}

func (d *doctor) publicAddress(ctx context.Context) result {
	return d.address(ctx, "listen", d.cfg.Listen)
}

func (d *doctor) operatorAddress(ctx context.Context) result {
	return d.address(ctx, "operator_listen", d.cfg.OperatorListen)
}

// address checks that an address is free, or in use while a causeway runs on this machine.
func (d *doctor) address(ctx context.Context, setting, address string) result {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		_ = ln.Close()
		return pass(address + " is free")
	case !errors.Is(err, syscall.EADDRINUSE):
		return fail(err.Error(), "set "+setting+" to an address of this machine that the user may listen on")
	}
	client := operatorClient{address: strings.TrimPrefix(app.Origin(d.cfg.OperatorListen), "http://")}
	if response, err := client.do(ctx, http.MethodGet, "/livez", nil); err == nil && response.Status == "live" {
		return pass(address + " is in use, and a causeway runs here")
	}
	return fail(address+" is in use by another program", "stop that program, or set "+setting+" to another address")
}
