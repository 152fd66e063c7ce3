package httpapi

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"causeway/core"
)

// member is a field of a request body that an operation knows; all of them are strings. Others are ignored.
type member struct {
	form
	name    string
	missing bool // it may be missing
}

// text is the value of a member.
type text struct {
	value string
	sent  bool // false where it is absent or null
}

// members reads the request's body, a JSON object, and puts the values of the known members into values, by their place. It
// returns every fault of a field; a body that cannot be read is an error.
func (x *exchange) members(known []member, values []text) ([]core.FieldError, error) {
	b, err := x.open(x.api.maxBody, known[0].name)
	if err != nil {
		return nil, err
	}
	defer x.api.recycle(b)
	faults, err := b.object(known, values)
	if err != nil {
		return nil, err
	}
	return faults, b.end()
}

// object reads the object that comes next, as members does.
func (b *bodyReader) object(known []member, values []text) ([]core.FieldError, error) {
	var faults []core.FieldError
	if err := b.token(); err != nil {
		return nil, err
	}
	for {
		name, err := b.name()
		if err != nil {
			return nil, err
		}
		if name == nil {
			break
		}
		i := memberIndex(known, name)
		if i < 0 {
			err = b.dec.SkipValue()
		} else {
			var reason string
			if reason, err = b.value(&known[i], &values[i]); reason != "" {
				faults = append(faults, core.FieldError{Field: known[i].name, Reason: reason})
			}
		}
		if err != nil {
			return nil, b.notJSON(err)
		}
	}
	for i := range known {
		if !values[i].sent && !known[i].missing && !atFault(faults, known[i].name) {
			faults = append(faults, core.FieldError{Field: known[i].name, Reason: "is required"})
		}
	}
	return faults, nil
}

// name reads the name of the next member of an object, in quotes, or the object's end, which has none. It is good until the next read.
func (b *bodyReader) name() ([]byte, error) {
	if b.dec.PeekKind() != '"' {
		return nil, b.token()
	}
	name, err := b.dec.ReadValue()
	if err != nil {
		return nil, b.notJSON(err)
	}
	return name, nil
}

// token reads the bracket that comes next.
func (b *bodyReader) token() error {
	if _, err := b.dec.ReadToken(); err != nil {
		return b.notJSON(err)
	}
	return nil
}

// skip reads the value that comes next and takes no notice of it.
func (b *bodyReader) skip() error {
	if err := b.dec.SkipValue(); err != nil {
		return b.notJSON(err)
	}
	return nil
}

func atFault(faults []core.FieldError, field string) bool {
	return slices.ContainsFunc(faults, func(f core.FieldError) bool { return f.Field == field })
}

// value reads the value of a known member. The first result says what is wrong with it.
func (b *bodyReader) value(m *member, to *text) (string, error) {
	kind := b.dec.PeekKind()
	raw, err := b.dec.ReadValue()
	if err != nil || kind == 'n' {
		return "", err
	}
	if kind != '"' {
		return "must be a string in quotes; it is " + kindName(kind), nil
	}
	to.sent = true
	if bytes.IndexByte(raw, '\\') < 0 {
		to.value = string(raw[1 : len(raw)-1])
	} else {
		unquoted, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return "", err
		}
		to.value = string(unquoted)
	}
	reason := m.fault(to.value)
	if reason != "" {
		to.value = "" // nobody is to find a second fault in it, or to repeat it
	}
	return reason, nil
}

func memberIndex(known []member, quoted []byte) int {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted)
	}
	for i := range known {
		if known[i].name == string(name) {
			return i
		}
	}
	return -1
}
