package journal

import (
	"net/url"
	"strings"

	"causeway/core"
)

// Tell reports whether a text is, or contains, something that looks like a private key, a seed or a recovery phrase. prose says that the text may be a sentence
// or a name of several words.
type Tell func(text string, prose bool) bool

// longestTold is how many bytes of a text are looked at at once: longer ones overlap by half, which is longer than any secret.
const longestTold = 1024

// hiddenSecret is shown in the place of a secret, of which not even the ends are.
const hiddenSecret = "****"

// secret reports whether a text holds a secret, and remembers that one was found.
func (y *eye) secret(text string, prose bool) bool {
	if y.tell == nil {
		return false
	}
	for ; len(text) > longestTold; text = text[longestTold/2:] {
		if y.tell(text[:longestTold], prose) {
			y.found = true
			return true
		}
	}
	told := y.tell(text, prose)
	y.found = y.found || told
	return told
}

// masked is a value as core.Private shows it, and nothing of one that holds a secret.
func (y *eye) masked(text string, prose bool) string {
	if y.secret(text, prose) {
		return hiddenSecret
	}
	return core.Private(text).String()
}

// search looks for a secret in a body that is no JSON, between the signs that JSON and forms put around values.
func (y *eye) search(body string) {
	for piece := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '"' || c == '&' || c == '=' }) {
		if y.secret(piece, false) {
			return
		}
		if plain, err := url.QueryUnescape(piece); err == nil && plain != piece && y.secret(plain, false) {
			return
		}
	}
}
