package journal

import (
	"fmt"
	"net/http"
	"strings"
)

// Curl is the entry's request as a command for a shell. What is masked stays so: a comment says that it must be filled in.
func (e *Entry) Curl(hosts Hosts) string {
	var out strings.Builder
	r := &e.Request
	command := []string{"curl"}
	usual := http.MethodGet // what curl makes of the rest of the command
	if r.Body != nil {
		usual = http.MethodPost
	}
	switch r.Method {
	case usual:
	case http.MethodHead:
		command = append(command, "--head")
	default:
		command = append(command, "-X "+quote(r.Method))
	}
	host := hosts.of(e.Control)
	if r.Path == "*" {
		command = append(command, "--request-target '*' "+quote(host))
	} else {
		command = append(command, quote(r.url(host)))
	}
	for _, h := range r.Headers {
		command = append(command, "-H "+quote(h.Name+": "+h.Value))
	}
	if r.Body != nil {
		command = append(command, "--data-raw "+quote(string(r.Body)))
	}
	text := strings.Join(command, " ")
	if strings.Contains(text, "****") {
		out.WriteString("# **** stands for what was masked: fill it in\n")
	}
	if r.BodyBytes > 0 && r.Body == nil {
		fmt.Fprintf(&out, "# the body of %d bytes is not shown\n", r.BodyBytes)
	}
	out.WriteString(text)
	out.WriteByte('\n')
	return out.String()
}

// quote makes one word of a text, for every POSIX shell. Control characters, which a request has no business with, are left out: a terminal obeys
// some of them.
func quote(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
