// Package chains lists the kinds of back ends and connects the configured ones.
package chains

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/adapters/chains/backend"
	"causeway/adapters/chains/blockbook"
	"causeway/adapters/chains/evm"
	"causeway/adapters/chains/tron"
	"causeway/adapters/chains/xrpl"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Descriptors lists the kinds of back ends.
var Descriptors = []backend.Descriptor{evm.Descriptor, blockbook.Descriptor, tron.Descriptor, xrpl.Descriptor}

const (
	// maxBody is more than ten times the size of the largest known response: the receipts of a full block.
	maxBody = 64 << 20
	// timeout leaves time for a response of several megabytes. No client waits for it.
	timeout = 20 * time.Second
)

// New connects a back end of a chain. Its text is <adapter>:<url>, such as evm:https://node.example; its
// number counts the back ends of the chain from 1. It sends no request. No error contains a part of the
// URL, which may hold a key.
func New(factory *upstream.Factory, chain core.Chain, number int, text string) (ports.Chain, error) {
	d, address, err := parse(chain.Network, text)
	if err != nil {
		return nil, err
	}
	name := d.Name + "-" + strings.ToLower(chain.Network)
	if number > 1 {
		name += "-" + strconv.Itoa(number)
	}
	header := http.Header{}
	if password, ok := address.User.Password(); ok && d.KeyHeader != "" && address.User.Username() == d.KeyHeader {
		header.Set(d.KeyHeader, password)
	} else if ok {
		login := address.User.Username() + ":" + password
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(login)))
	}
	base := url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}
	client, err := factory.Client(upstream.Provider{
		Name: name, BaseURL: base.String(), Header: header, Query: address.Query(), Timeout: timeout, MaxBody: maxBody,
	})
	if err != nil {
		return nil, err
	}
	return d.New(client, chain), nil
}

// parse reads the text of a back end.
func parse(network, text string) (backend.Descriptor, *url.URL, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), ":")
	i := slices.IndexFunc(Descriptors, func(d backend.Descriptor) bool { return d.Name == name })
	if i < 0 {
		return backend.Descriptor{}, nil, fmt.Errorf(
			"has a back end of an unknown kind; accepted: %s, a colon and a URL, such as %s:https://node.example",
			kinds(), Descriptors[0].Name)
	}
	d := Descriptors[i]
	if !slices.Contains(d.Networks, network) {
		return d, nil, fmt.Errorf("has a back end of the kind %s, which does not read %s; it reads %s",
			d.Name, core.Quoted(network), strings.Join(d.Networks, ", "))
	}
	address, err := url.Parse(rest)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Hostname() == "" ||
		address.Fragment != "" || strings.ContainsAny(address.Host, " \t") {
		return d, nil, fmt.Errorf("has a back end whose URL cannot be used; accepted: %s: and an http or https URL, "+
			"which may have a user with a password, a path and a query", d.Name)
	}
	if _, ok := address.User.Password(); address.User != nil && !ok {
		return d, nil, errors.New("has a back end with a user and no password in its URL; accepted: both, or none")
	}
	return d, address, nil
}

// Wallet returns the deposit wallet of a network. Networks whose blocks nothing reads have wallets with
// their codes.
func Wallet(network string) string {
	for _, d := range Descriptors {
		if d.Wallet != "" && slices.Contains(d.Networks, network) {
			return d.Wallet
		}
	}
	return network
}

// kinds lists the kinds of back ends for error messages.
func kinds() string {
	names := make([]string, len(Descriptors))
	for i, d := range Descriptors {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}
