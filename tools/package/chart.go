package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// makeChart packs the chart with the version of the binary in it. helm package would write the present time; this is the same file each time.
func (m *maker) makeChart(ctx context.Context) error {
	dir := filepath.Join(m.repo, "config", "deploy", "chart")
	files := tree{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(inside, "ci") || inside == ".helmignore" {
			return err
		}
		return files.plant("causeway/"+filepath.ToSlash(inside), 0o644, path)
	})
	if err != nil {
		return err
	}
	about := files["causeway/Chart.yaml"]
	version := regexp.MustCompile(`(?m)^version: (\S+)$`).FindSubmatch(about.content)
	if version == nil || !bytes.Contains(about.content, []byte("\nappVersion: dev ")) {
		return fmt.Errorf("%s has no version, or another appVersion than dev", dir)
	}
	about.content = regexp.MustCompile(`(?m)^appVersion: dev .*$`).ReplaceAll(about.content, []byte("appVersion: "+`"`+m.version+`"`))
	files["causeway/Chart.yaml"] = about
	content, err := files.tar(m.epoch)
	if err != nil {
		return err
	}
	if content, err = zipped(content); err != nil {
		return err
	}
	path := m.asset("causeway-chart-" + string(version[1]) + ".tgz")
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // to be handed out
		return err
	}
	return m.checkChart(ctx, path, filepath.Join(dir, "ci"))
}

// helm runs the helm of this module's tools, apart from whatever the machine's user has set up for helm. The first call builds it.
func (m *maker) helm(ctx context.Context, args ...string) ([]byte, error) {
	if m.helmBinary == "" {
		out, err := command(ctx, filepath.Join(m.repo, "tools", "package"), nil, "go", "tool", "-n", "helm")
		if err != nil {
			return nil, err
		}
		m.helmBinary = strings.TrimSpace(string(out))
	}
	env := []string{"HELM_CACHE_HOME=" + m.work, "HELM_CONFIG_HOME=" + m.work, "HELM_DATA_HOME=" + m.work, "KUBECONFIG=" + os.DevNull}
	return command(ctx, m.work, env, m.helmBinary, args...)
}
