package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// checkImage reads the archives back as a registry or a daemon would, and runs what is in them.
func (m *maker) checkImage(ctx context.Context, archive string) error {
	index, err := m.readLayout(archive)
	if err != nil {
		return err
	}
	if err := validate.Index(index); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	m.passed("image: valid, the same digest when built again, %s", m.digest)
	all, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, d := range all.Manifests {
		image, err := index.Image(d.Digest)
		if err != nil {
			return err
		}
		if err := m.checkOne(ctx, d.Platform.Architecture, image); err != nil {
			return fmt.Errorf("image %s: %w", d.Platform.Architecture, err)
		}
	}
	return nil
}

// readLayout finds the image in an archive.
func (m *maker) readLayout(archive string) (v1.ImageIndex, error) {
	content, err := os.ReadFile(archive) //nolint:gosec // just made
	if err != nil {
		return nil, err
	}
	files, err := untar(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(m.work, "read")
	if err := errors.Join(os.MkdirAll(dir, 0o750), files.write(dir)); err != nil {
		return nil, err
	}
	top, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) != 1 || manifest.Manifests[0].Digest.String() != m.digest {
		return nil, fmt.Errorf("%s has other images than %s: %v", archive, m.digest, manifest.Manifests)
	}
	return top.ImageIndex(manifest.Manifests[0].Digest)
}

// checkOne unpacks the image for an architecture, compares it with the archive for docker, and runs it.
func (m *maker) checkOne(ctx context.Context, arch string, image v1.Image) error {
	tag, err := name.NewTag("causeway:" + m.version)
	if err != nil {
		return err
	}
	loaded, err := tarball.ImageFromPath(m.asset("causeway-"+m.version+"-image-docker-"+arch+".tar"), &tag)
	if err != nil {
		return err
	}
	config, err := image.ConfigName()
	if err != nil {
		return err
	}
	if other, err := loaded.ConfigName(); err != nil || config != other {
		return fmt.Errorf("the archive for docker has the image %s, not %s (%w)", other, config, err)
	}
	content := mutate.Extract(image)
	files, err := untar(content)
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	if err := checkRoot(files); err != nil {
		return err
	}
	m.passed("image %s: nothing but the binary, authorities, licenses and a user; only root could write", arch)
	if !runsHere(arch) {
		m.leave("the image for " + arch + " was not run: this machine is another one")
		return nil
	}
	if !isRoot() {
		m.leave("the image was not run: that needs the rights of root")
		return nil
	}
	return m.tryImage(ctx, image, files)
}

// checkRoot holds the image's files to what they should be.
func checkRoot(files tree) error {
	var names []string
	for file, n := range files {
		if n.mode.Perm()&0o022 != 0 {
			return fmt.Errorf("others may write %s: %s", file, n.mode)
		}
		if !n.mode.IsDir() {
			names = append(names, file)
		}
	}
	slices.Sort(names)
	if want := []string{"etc/group", "etc/passwd", roots[1:], "usr/bin/causeway", "usr/share/doc/causeway/NOTICES.txt"}; !slices.Equal(names, want) {
		return fmt.Errorf("has the files %v", names)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(files[roots[1:]].content) {
		return errors.New("trusts no authority")
	}
	return nil
}

// untar reads an archive whose files all belong to root.
func untar(r io.Reader) (tree, error) {
	out := tree{}
	for r := tar.NewReader(r); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		file := strings.Trim(h.Name, "/")
		if h.Uid != 0 || h.Gid != 0 || !fs.ValidPath(file) {
			return nil, fmt.Errorf("%q belongs to %d:%d", h.Name, h.Uid, h.Gid)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		out[file] = node{h.FileInfo().Mode(), content}
	}
}

// tryImage runs the image as its configuration says: as its user, with its root as root, in namespaces of its own.
func (m *maker) tryImage(ctx context.Context, image v1.Image, files tree) error {
	root := filepath.Join(m.work, "root")
	if err := errors.Join(os.MkdirAll(root, 0o755), files.write(root)); err != nil { //nolint:gosec // its user is another one
		return err
	}
	for _, dir := range []string{root, m.work} { // the way in
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as above
			return err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	p, err := startContained(ctx, root, config.Config)
	if err != nil {
		return err
	}
	err = errors.Join(p.ask(ctx), p.stop())
	if err != nil {
		return fmt.Errorf("%w\n%s", err, p.said())
	}
	m.passed("image: runs as %s in a namespace without anything else: live, ready, %s; ends with 0 on SIGTERM", config.Config.User, strings.Join(slices.Sorted(maps.Keys(questions())), ", "))
	return nil
}
