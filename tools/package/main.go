// Command package builds what an operator installs, into dist/, and checks each of it as far as the machine can: binaries for linux/amd64 and arm64 that
// come out the same when they are built again, their bills of material (CycloneDX), Debian packages with a systemd unit, an OCI image, a Helm chart, and the
// checksums of all that. It ends with a list of what could not be checked here; a check that fails is an error.
//
// `make package` runs it. It needs Go, git and dpkg-deb. With systemd-analyze, lintian and the rights of root it checks more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// architectures are what is built for, as Go and as Debian call them.
func architectures() []string { return []string{"amd64", "arm64"} }

// maker is one run.
type maker struct {
	repo, dist, work string
	version, commit  string
	epoch            time.Time // of every file: the commit's
	again            bool      // whether binaries are built twice

	out  io.Writer
	left []string // what was not checked

	notices  []byte            // licenses of what is linked in
	binaries map[string]string // paths, by architecture
	digest   string            // of the image

	helmBinary string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1) //nolint:forbidigo // a command says that it failed
	}
}

var versions = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`) // a tag of an image, too

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("package", flag.ContinueOnError)
	repo := flags.String("repo", "../..", "the repository")
	version := flags.String("version", "", "as git describe says it")
	commit := flags.String("commit", "", "the commit that is built")
	epoch := flags.Int64("epoch", 0, "when it was made, in seconds since 1970: the time of every file")
	again := flags.Bool("again", true, "build the binaries a second time, from a clone and from nothing, and compare: some minutes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !versions.MatchString(*version) || *commit == "" || *epoch <= 0 {
		return errors.New("-version, -commit and -epoch are needed; run make package")
	}
	m := &maker{version: *version, commit: *commit, epoch: time.Unix(*epoch, 0).UTC(), again: *again, out: out, binaries: map[string]string{}}
	if m.repo, err = filepath.Abs(*repo); err != nil {
		return err
	}
	m.dist = filepath.Join(m.repo, "dist")
	if m.work, err = os.MkdirTemp("", "causeway-package"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.work)) }()
	if err := errors.Join(os.RemoveAll(m.dist), os.MkdirAll(m.dist, 0o750)); err != nil {
		return err
	}
	return m.all(ctx)
}

func (m *maker) all(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		m.makeBinaries, m.makeBills, m.makeDebs, m.makeImage, m.makeChart, m.makeSums,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(m.out, "\n%s is in %s, image %s\n", m.version, m.dist, m.digest)
	if len(m.left) > 0 {
		_, _ = fmt.Fprintln(m.out, "not checked here:")
		for _, what := range m.left {
			_, _ = fmt.Fprintln(m.out, "  -", what)
		}
	}
	return nil
}

// passed says what was found good.
func (m *maker) passed(what string, args ...any) {
	_, _ = fmt.Fprintf(m.out, "ok  "+what+"\n", args...)
}

// leave notes what is not checked, and why.
func (m *maker) leave(what string) { m.left = append(m.left, what) }

// asset is the path of a file in dist.
func (m *maker) asset(name string) string { return filepath.Join(m.dist, name) }
