package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	roots  = "/etc/ssl/certs/ca-certificates.crt" // where Debian keeps them, and where Go looks for them
	nobody = 65532                                // the user of distroless images
)

// makeImage builds the image for all architectures, twice, without a daemon and without a base: the binary, the authorities that it trusts, and a user. It
// is written as an OCI archive with all of them, and as an archive for `docker load` for each.
func (m *maker) makeImage(ctx context.Context) error {
	images := map[string]v1.Image{}
	index, err := m.index(images)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	second, err := m.index(map[string]v1.Image{})
	if err != nil {
		return err
	}
	if again, err := second.Digest(); err != nil || digest != again {
		return fmt.Errorf("the image comes out different when it is built again: %s, %s (%w)", digest, again, err)
	}
	m.digest = digest.String()

	archive := m.asset("causeway-" + m.version + "-image.tar")
	if err := m.writeLayout(index, archive); err != nil {
		return err
	}
	for arch, image := range images {
		tag, err := name.NewTag("causeway:" + m.version)
		if err != nil {
			return err
		}
		if err := tarball.WriteToFile(m.asset("causeway-"+m.version+"-image-docker-"+arch+".tar"), tag, image); err != nil {
			return err
		}
	}
	return m.checkImage(ctx, archive)
}

// index is the image for all architectures.
func (m *maker) index(images map[string]v1.Image) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range architectures() {
		image, err := m.image(arch)
		if err != nil {
			return nil, err
		}
		images[arch] = image
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	return index, nil
}

// image has two layers: what every version has, and the binary.
func (m *maker) image(arch string) (v1.Image, error) {
	base := tree{
		"etc/passwd": {0o644, fmt.Appendf(nil, "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/:/sbin/nologin\n", nobody, nobody)},
		"etc/group":  {0o644, fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nobody)},
	}
	if err := base.plant(roots[1:], 0o644, roots); err != nil {
		return nil, fmt.Errorf("the authorities that the image trusts: %w (apt-get install ca-certificates)", err)
	}
	program := tree{"usr/share/doc/causeway/NOTICES.txt": {0o644, m.notices}, "usr/share/doc/causeway": {mode: fs.ModeDir | 0o755}}
	if err := program.plant("usr/bin/causeway", 0o755, m.binaries[arch]); err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	var err error
	if image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: "linux", Architecture: arch, Created: v1.Time{Time: m.epoch}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: fmt.Sprintf("%d:%d", nobody, nobody), WorkingDir: "/", Entrypoint: []string{"/usr/bin/causeway"}, Cmd: []string{"serve"},
			Env: []string{"PATH=/usr/bin"}, ExposedPorts: map[string]struct{}{"8080/tcp": {}}, StopSignal: "SIGTERM",
			Labels: map[string]string{"org.opencontainers.image.title": "causeway", "org.opencontainers.image.version": m.version, "org.opencontainers.image.revision": m.commit},
		},
	}); err != nil {
		return nil, err
	}
	for what, files := range []tree{base, program} {
		content, err := files.tar(m.epoch)
		if err != nil {
			return nil, err
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		made := v1.History{Created: v1.Time{Time: m.epoch}, CreatedBy: "make package", Comment: []string{"authorities and users", "causeway"}[what]}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: made}); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// writeLayout writes an OCI image layout, packed.
func (m *maker) writeLayout(index v1.ImageIndex, archive string) error {
	dir := filepath.Join(m.work, "layout")
	to, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	if err := to.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": m.version})); err != nil {
		return err
	}
	files := tree{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return files.plant(filepath.ToSlash(inside), 0o644, path)
	})
	if err != nil {
		return err
	}
	content, err := files.tar(m.epoch)
	if err != nil {
		return err
	}
	return os.WriteFile(archive, content, 0o644) //nolint:gosec // to be handed out
}
