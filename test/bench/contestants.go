package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const pairsPath = "/v1/pairs"

// oneCore lets a Go program use one core.
func oneCore(cmd *exec.Cmd, more ...string) *exec.Cmd {
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=1"), more...)
	return cmd
}

// startSandbox starts the sandbox as make run does, on so many cores.
func startSandbox(ctx context.Context, binary string, cores int) (*server, error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	return launch(cmd, pairsPath, addressOf("public"))
}

// startProduction starts a production-mode process and the simulated providers that it asks over TCP. Nothing of it is switched off: only the limit of
// calls is as high as it can be.
func startProduction(ctx context.Context, binary string) (causeway, providers *server, err error) {
	cmd := exec.CommandContext(ctx, binary, "upstream", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	if providers, err = launch(oneCore(cmd), "/kraken/0/public/Time", addressOf("upstream")); err != nil {
		return nil, nil, err
	}
	exports, err := exec.CommandContext(ctx, binary, "upstream", "env", "--base", providers.url).Output()
	if err != nil {
		return nil, nil, err
	}
	env := []string{"CAUSEWAY_LIMITS__DEFAULT=1000000/s"}
	for line := range strings.Lines(string(exports)) {
		name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		env = append(env, name+"="+strings.Trim(value, "'"))
	}
	cmd = exec.CommandContext(ctx, binary, "serve", "--mode", "production", "--listen", "127.0.0.1:0", "--operator-listen", "127.0.0.1:0")
	causeway, err = launch(oneCore(cmd, env...), pairsPath, addressOf("public"))
	return causeway, providers, err
}

// addressOf finds the address of a listener in a line of the log.
func addressOf(listener string) func(line []byte) string {
	return func(line []byte) string {
		var l struct{ Msg, Listener, Address string }
		if json.Unmarshal(line, &l) == nil && l.Msg == "listening" && l.Listener == listener {
			return l.Address
		}
		return ""
	}
}

// record is what a Causeway answers to each of the cases.
func record(ctx context.Context, causeway string) (map[string]recorded, error) {
	answers := map[string]recorded{}
	for _, c := range cases {
		a, err := fetch(ctx, c, causeway)
		if err != nil {
			return nil, err
		}
		a.header.Del("Date") // each answer has its own
		answers[c.key()] = recorded{a.header, a.body}
	}
	return answers, nil
}

// startBare starts this program again as the reference, told what Causeway answers.
func startBare(ctx context.Context, answers map[string]recorded) (*server, error) {
	text, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "bare*.json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }() // it is read before the first answer
	if _, err := file.Write(text); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "-bare", file.Name())
	return launch(oneCore(cmd), pairsPath, func(line []byte) string { return string(line) })
}
