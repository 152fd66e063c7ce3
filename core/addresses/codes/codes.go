// Package codes holds the reasons for which a decoder rejects a text, as the API reports them.
package codes

// The reasons of decoders. Codes are added, never renamed.
const (
	BadCharacter = "bad_character"
	BadLength    = "bad_length"
	BadCase      = "bad_case"
	BadChecksum  = "bad_checksum"
	BadVersion   = "bad_version"
	BadEncoding  = "bad_encoding"
)
