package config

import (
	"fmt"
	"os"
	"strings"
)

// fileSuffix ends the name of a variable that names a file with a secret, as Docker and Kubernetes mount them.
const fileSuffix = "_FILE"

// maxSecret is the longest secret that is read from a file, in bytes.
const maxSecret = 64 << 10

// secretsOf replaces the variables that name files by the secrets in these: CAUSEWAY_X_FILE by CAUSEWAY_X, where X is a secret. Both at once are a
// fault. Errors show the file's name and nothing of what is in it.
func secretsOf(environ []string) ([]string, []error) {
	set := map[string]bool{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value != ""
	}
	var faults []error
	out := make([]string, 0, len(environ))
	for _, variable := range environ {
		name, path, _ := strings.Cut(variable, "=")
		of, isFile := strings.CutSuffix(name, fileSuffix)
		if !isFile || path == "" || !strings.HasPrefix(name, envPrefix) || !isSecret(keyOf(of)) {
			out = append(out, variable)
			continue
		}
		secret, err := readSecret(path)
		switch {
		case set[of]:
			faults = append(faults, fmt.Errorf("environment: %s and %s are both set; set one of them", of, name))
		case err != nil:
			faults = append(faults, fmt.Errorf("environment: %s: %w", name, err))
		default:
			out = append(out, of+"="+secret)
		}
	}
	return out, faults
}

// keyOf is the key that a variable sets.
func keyOf(variable string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, envPrefix)), envLevel, ".")
}

// readSecret reads a file, without the line break that editors put at its end.
func readSecret(path string) (string, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" || len(secret) > maxSecret {
		return "", fmt.Errorf("%s has no secret in it; accepted: one line", path)
	}
	return secret, nil
}
