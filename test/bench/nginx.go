package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const nginxConf = `daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr;
events {}
http {
	access_log off;
	sendfile on;
	gzip_static on;
	keepalive_requests 1000000000;
	default_type application/json;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server { listen %[2]s; root %[1]s/files; }
}
`

// startNginx serves the list of pairs from files, without any of our headers; nil where nginx is not installed.
func startNginx(ctx context.Context, answers map[string]recorded) (s *server, clean func(), err error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		return nil, func() {}, nil //nolint:nilerr // the table then has no column of it
	}
	dir, err := os.MkdirTemp("", "nginx")
	if err != nil {
		return nil, nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, clean, err
	}
	conf, list := filepath.Join(dir, "nginx.conf"), filepath.Join(dir, "files", pairsPath)
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(list), 0o755),
		os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, address), 0o600),
		os.WriteFile(list, answers[pairsPath+" "].Body, 0o644),
		os.WriteFile(list+".gz", answers[pairsPath+" gzip"].Body, 0o644),
	); err != nil {
		return nil, clean, err
	}
	cmd := exec.CommandContext(ctx, program, "-c", conf, "-e", "stderr")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, clean, err
	}
	s = &server{cmd: cmd, url: "http://" + address}
	for range 100 {
		if resp, err := http.Get(s.url + pairsPath); err == nil {
			return s, clean, resp.Body.Close()
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, clean, err
		}
	}
	return nil, clean, errors.New("nginx did not start")
}

// freeAddress is one that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}
