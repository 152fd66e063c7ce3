package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"causeway/core"
)

// maxBundle is the size of the largest file that is read as a bundle, in bytes.
const maxBundle = 64 << 20

// DecodeBundle reads a bundle. It rejects other versions, unknown fields, requests that could reach
// anything but the API, headers that no journal records, and responses that do not add up to the
// fingerprint. An error never repeats private values of the file.
func DecodeBundle(file []byte) (Bundle, error) {
	if len(file) > maxBundle {
		return Bundle{}, core.Errorf(core.Invalid, "The bundle has %d bytes; at most %d are accepted", len(file), maxBundle)
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
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil {
		return Bundle{}, unreadable(err)
	}
	if err := invalid(b.faults()); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

// unreadable says why a file is not a bundle.
func unreadable(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return core.Errorf(core.Invalid, "The bundle is no JSON: it goes wrong at byte %d", syntax.Offset)
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return core.Errorf(core.Invalid, "The bundle goes wrong at byte %d: %s is of another type", mismatch.Offset, core.Quoted(mismatch.Field))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return core.Errorf(core.Invalid, "The bundle has a field %s, which version %d does not have", name, version)
	}
	return core.Errorf(core.Invalid, "The bundle has a time, a SHA-256 sum or a body_base64 that cannot be read")
}

// maxFaults is how many faults of a bundle are listed.
const maxFaults = 100

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
	for i := range b.Requests {
		if faults = append(faults, b.Requests[i].faults(fmt.Sprintf("requests[%d].", i))...); len(faults) > maxFaults {
			return faults
		}
	}
	need(b.Fingerprint == b.sum(), "fingerprint", "is not that of the responses: the bundle was changed")
	return faults
}

var (
	target    = regexp.MustCompile(`^/[!"$-~]*$`) // of a request line: printable ASCII without a fragment
	printable = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

// faults returns what is wrong with a request by itself.
func (s *Sent) faults(prefix string) []core.FieldError {
	var faults []core.FieldError
	need := func(fine bool, field, accepted string) {
		if !fine {
			faults = append(faults, fault(prefix+field, "is not accepted: %s", accepted))
		}
	}
	_, err := url.ParseRequestURI(s.Path)
	need(!s.At.IsZero(), "at", "a time is needed")
	need(s.Method != "" && isCode(s.Method) && s.Method != http.MethodConnect, "method", "a method other than CONNECT, of letters")
	need(s.Path == "*" || err == nil && target.MatchString(s.Path), "path", "a path that begins with / and has no fragment, in printable ASCII")
	need(!s.Control || strings.HasPrefix(s.Path, "/_sim/v1/"), "path", "a call of the control API begins with /_sim/v1/")
	for _, h := range s.Headers {
		need(isRelevant(h.Name) && printable.MatchString(h.Value) && utf8.ValidString(h.Value), "headers", "printable values of Sim-… and of the headers that a journal records")
	}
	need(s.Body == "" || len(s.Binary) == 0, "body_base64", "not beside body")
	need(s.Answer.Status == 0 || s.Answer.Status >= 100 && s.Answer.Status <= 999, "answer.status", "100 to 999, or 0 for none")
	return faults
}
