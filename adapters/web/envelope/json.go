package envelope

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"
)

// Formats are the formats of bodies, by the keys of huma.DefaultFormats.
var Formats = map[string]huma.Format{"application/json": format, "json": format}

var format = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: Unmarshal}

// decoding is the behaviour of encoding/json, except that an object with a repeated name is an
// error: another reader of the same bytes could take the other value. The names of fields are
// compared in any case, as they are decoded.
var decoding = json.JoinOptions(v1.DefaultOptionsV1(), jsontext.AllowDuplicateNames(false))

// Unmarshal decodes a body or a part of it.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v, decoding) }

// repeatedName begins the errors of objects with a repeated name.
var repeatedName = jsontext.ErrDuplicateName.Error()
