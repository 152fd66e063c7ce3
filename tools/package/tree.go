package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"
)

// tree is files by their path, without a slash in front; a directory has no content and a mode with fs.ModeDir. Parents need not be named.
type tree map[string]node

type node struct {
	mode    fs.FileMode
	content []byte
}

// whole is the tree with all parents, in the order of their names.
func (t tree) whole() ([]string, tree) {
	all := maps.Clone(t)
	for name := range t {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := all[dir]; !ok {
				all[dir] = node{mode: fs.ModeDir | 0o755}
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), all
}

// tar packs the tree: everything belongs to root and was made at one time, so that the same tree is the same bytes.
func (t tree) tar(at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	names, all := t.whole()
	for _, name := range names {
		n := all[name]
		h := &tar.Header{Name: name, Mode: int64(n.mode.Perm()), ModTime: at, Size: int64(len(n.content)), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if n.mode.IsDir() {
			h.Name, h.Typeflag = name+"/", tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(n.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// write puts the tree into a directory.
func (t tree) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	names, all := t.whole()
	for _, name := range names {
		n := all[name]
		if n.mode.IsDir() {
			err = root.MkdirAll(name, 0o700)
		} else {
			err = root.WriteFile(name, n.content, 0o600)
		}
		if err = errors.Join(err, root.Chmod(name, n.mode.Perm())); err != nil { // whatever the umask says
			break
		}
	}
	return errors.Join(err, root.Close())
}

// zipped compresses without a name or a time.
func zipped(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// plant reads a file of the repository, links followed, into the tree.
func (t tree) plant(name string, mode fs.FileMode, file string) error {
	content, err := os.ReadFile(file) //nolint:gosec // of the repository or of dist
	if err != nil {
		return err
	}
	t[name] = node{mode, content}
	return nil
}
