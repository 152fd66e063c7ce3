package main

import (
	"net"
	"net/http"

	"causeway/simulator/console"
	"causeway/simulator/control"
)

// newControl makes the control API of a sandbox, for the operator's listener: nil in production, where nothing is simulated.
func newControl(p parts) (http.Handler, error) {
	if p.Front.worlds == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	return control.New(p.Front.worlds, control.Config{
		Version: version, Entropy: systemEntropy, Log: p.Log.Named("control"), Public: origin(p.Config.Listen), Watch: p.Front.door.Watch,
	})
}

// simDesk is what a sandbox has on the operator's listener: the control API of its worlds, and the console. Nothing of it is there in production.
type simDesk struct {
	control http.Handler
	console *console.Console
}

// newSimDesk makes the desk of a sandbox, and an empty one in production.
func newSimDesk(p parts) (simDesk, error) {
	if p.Front.worlds == nil {
		return simDesk{}, nil
	}
	api, err := newControl(p)
	if err != nil {
		return simDesk{}, err
	}
	page, err := newConsole(p.Front.others, p.Front.worlds, func() { p.Front.door.Watch() }, origin(p.Config.Listen))
	return simDesk{control: api, console: page}, err
}

// register adds the desk to the operator's listener.
func (d simDesk) register(mux *http.ServeMux) {
	if d.control == nil {
		return
	}
	mux.Handle("/_sim/", d.control)
	mux.Handle(console.Path, d.console)
	mux.Handle(console.Path+"/", d.console)
}

// places names what the desk has, for whoever looked elsewhere.
func (d simDesk) places() string {
	if d.control == nil {
		return ""
	}
	return ", " + console.Path + " and /_sim/v1/"
}

// close ends the console's streams, which have no end of their own.
func (d simDesk) close() {
	if d.console != nil {
		d.console.Close()
	}
}

// origin is where somebody on this machine finds a listener.
func origin(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
