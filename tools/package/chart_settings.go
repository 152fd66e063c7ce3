package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
)

const (
	mounted    = "/etc/causeway/secrets/" // where pods find their secrets
	tlsMounted = "/etc/causeway/tls"      // and their certificate
	secretText = "a-secret-of-thirty-two-characters-or-more"
	needed     = "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID" // in production
)

// secrets are what the files of secrets have here, where it is not any long text.
func secrets() map[string]string {
	return map[string]string{"CAUSEWAY_REDIS__URL_FILE": "redis://127.0.0.1:6379", "CAUSEWAY_HISTORY__URL_FILE": "postgres://127.0.0.1/causeway"}
}

// checkSettings lets the binary read the settings that the chart hands over, with secrets where the pods would find them. Production without any
// is refused, as the chart's notes say.
func (m *maker) checkSettings(ctx context.Context, r *rendered) error {
	if !runsHere(runtime.GOARCH) || m.binaries[runtime.GOARCH] == "" {
		m.leave("the chart's settings were not read by the binary: this machine is another one")
		return nil
	}
	dir, err := os.MkdirTemp(m.work, "settings")
	if err != nil {
		return err
	}
	container := r.deployment.Spec.Template.Spec.Containers[0]
	env, err := mountSecrets(container, dir)
	if err != nil {
		return err
	}
	file, text := filepath.Join(dir, "causeway.yaml"), r.config.Data["causeway.yaml"]
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	args := slices.Replace(slices.Clone(container.Args), 0, 1, "config", "print")
	args[slices.Index(args, "--config")+1] = file
	printed, err := command(ctx, m.work, env, m.binaries[runtime.GOARCH], args...)
	switch {
	case bytes.Contains(printed, []byte(secretText)):
		return errors.New("config print shows a secret")
	case len(env) > 0 || strings.Contains(text, "mode: sandbox"):
		return err
	case err == nil || !strings.Contains(err.Error(), needed):
		return fmt.Errorf("production without secrets is taken, or does not ask for %s: %w", needed, err)
	}
	return nil
}

// mountSecrets writes the secrets of a container below a directory, and returns the variables that say where they are.
func mountSecrets(c core.Container, dir string) ([]string, error) {
	there := slices.ContainsFunc(c.VolumeMounts, func(at core.VolumeMount) bool { return at.MountPath+"/" == mounted })
	var env []string
	for _, v := range c.Env {
		if !strings.HasSuffix(v.Name, "_FILE") {
			continue
		}
		if strings.HasPrefix(v.Value, tlsMounted+"/") {
			env = append(env, v.Name+"="+v.Value) // whether it is there is seen at the start
			continue
		}
		key, ok := strings.CutPrefix(v.Value, mounted)
		if !ok || !there {
			return nil, fmt.Errorf("%s is %s, where no secrets are", v.Name, v.Value)
		}
		file := filepath.Join(dir, key)
		if err := os.WriteFile(file, []byte(cmp.Or(secrets()[v.Name], secretText)), 0o600); err != nil {
			return nil, err
		}
		env = append(env, v.Name+"="+file)
	}
	return env, nil
}
