package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"causeway/core"
)

// mostBundle is the largest file that is read as a bundle, in bytes: a journal's worth, escaped.
const mostBundle = 64 << 20

// DecodeBundle reads a bundle that somebody hands over. It refuses, with what is accepted, another version, members that it does not know, requests that
// could reach anything but the API, headers that no journal records, and answers that do not add up to the fingerprint. An error never repeats
// what is in the file.
func DecodeBundle(file []byte) (Bundle, error) {
	if len(file) > mostBundle {
		return Bundle{}, core.Errorf(core.Invalid, "The bundle has %d bytes; at most %d are accepted", len(file), mostBundle)
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(file, &head); err != nil {
		return Bundle{}, unreadable(err)
	}
	if head.Version == nil {
		return Bundle{}, core.InvalidField("version", "is missing, so this is no bundle; accepted: %d", version)
	}
	if *head.Version != version {
		return Bundle{}, core.InvalidField("version", "is %d; accepted: %d", *head.Version, version)
	}
	var b Bundle
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return Bundle{}, unreadable(err)
	}
	b.tidy()
	if err := invalid(b.faults()); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

// unreadable says where a file stops being a bundle.
func unreadable(err error) error {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return core.Errorf(core.Invalid, "The bundle is no JSON: it goes wrong at byte %d", syntax.Offset)
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return core.Errorf(core.Invalid, "The bundle goes wrong at byte %d: %s is of another type", mismatch.Offset, core.Quoted(mismatch.Field))
	case errors.As(err, &mismatch):
		return core.Errorf(core.Invalid, "The bundle is no JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return core.Errorf(core.Invalid, "The bundle ends in the middle")
	case errors.Is(err, errNoSum):
		return core.Errorf(core.Invalid, "The bundle has a fingerprint or sha256 that is %s", errNoSum)
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		name, _ = strconv.Unquote(name)
		return core.Errorf(core.Invalid, "The bundle has a member %s, which version %d does not know", core.Quoted(name), version)
	}
	return core.Errorf(core.Invalid, "The bundle has a time or a body_base64 that cannot be read; accepted: such as 2026-11-21T09:00:00Z, and base64")
}

// tidy makes a bundle equal to the one that was written.
func (b *Bundle) tidy() {
	if len(b.Options) > 0 {
		var out bytes.Buffer
		_ = json.Compact(&out, b.Options) // it was read already
		b.Options = out.Bytes()
	}
	if b.Requests == nil {
		b.Requests = []Sent{}
	}
	for i := range b.Requests {
		q := &b.Requests[i]
		if q.Headers == nil {
			q.Headers = []Field{}
		}
		if len(q.Binary) == 0 {
			q.Binary = nil
		}
	}
}

func (b *Bundle) faults() []core.FieldError {
	var faults []core.FieldError
	need := func(fine bool, field, format string, args ...any) {
		if !fine {
			faults = append(faults, fault(field, format, args...))
		}
	}
	need(len(b.Options) == 0 || b.Options[0] == '{', "options", "is no JSON object")
	need(b.World != "", "world", "is missing")
	need(b.Seed != "", "seed", "is missing")
	need(!b.Clock.Now.IsZero(), "clock.now", "is missing")
	need(b.Clock.Rate >= 0, "clock.rate", "is %d; accepted: 0 or more", b.Clock.Rate)
	need(b.LeftOut >= 0 && b.Complete == (b.LeftOut == 0), "left_out", "is %d, which does not fit complete", b.LeftOut)
	need(len(b.Requests) <= mostEntries, "requests", "are %d; accepted: up to %d", len(b.Requests), mostEntries)
	for i := range b.Requests {
		if faults = append(faults, b.Requests[i].faults(fmt.Sprintf("requests[%d].", i))...); len(faults) > mostConditions {
			return faults
		}
	}
	need(b.Fingerprint == b.sum(), "fingerprint", "is not that of the answers: the bundle was changed")
	return faults
}

// faults are what is wrong with a request, other than that somebody else might answer it in another way.
func (s *Sent) faults(prefix string) []core.FieldError {
	var faults []core.FieldError
	need := func(fine bool, field, accepted string) {
		if !fine {
			faults = append(faults, fault(prefix+field, "is not accepted: %s", accepted))
		}
	}
	need(!s.At.IsZero(), "at", "a time is needed")
	need(s.Method != "" && code(s.Method) && s.Method != http.MethodConnect, "method", "a method other than CONNECT, of letters")
	need(targets(s.Path), "path", "a path that begins with / and has no fragment, in printable ASCII")
	need(!s.Control || strings.HasPrefix(s.Path, "/_sim/v1/"), "path", "a call of the control API begins with /_sim/v1/")
	for _, h := range s.Headers {
		need(matters(h.Name) && printable(h.Value), "headers", "printable values of Sim-… and of the headers that a journal records: Accept, Content-Type and the like")
	}
	need(s.Body == "" || len(s.Binary) == 0, "body_base64", "not beside body")
	need(utf8.ValidString(s.Body), "body", "text in UTF-8")
	need(s.Answer.Status == 0 || s.Answer.Status >= 100 && s.Answer.Status <= 999, "answer.status", "100 to 999, or 0 for none")
	return faults
}

// targets reports whether a text is a path with a query, as a request line has it.
func targets(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' || c == '#' {
			return false
		}
	}
	if text == "*" {
		return true
	}
	_, err := url.ParseRequestURI(text)
	return err == nil && text[0] == '/'
}

// printable reports whether a value of a header has neither control characters nor anything that is no text.
func printable(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(text)
}
