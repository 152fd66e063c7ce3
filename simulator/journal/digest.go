package journal

import (
	"hash/maphash"
	"net/url"
)

// digest tells masked values apart, since two of them may look the same: a text that was sent and one that is asked for have the same one only where they
// are equal, but for a chance of 1 in 2^64. It is keyed anew in each journal, and never leaves it.
type digest uint64

// hidden is a member of a body whose value is masked.
type hidden struct {
	name string // as it is shown
	sum  digest
}

// eye reads requests for one journal. A copy of it reads one request.
type eye struct {
	world string
	seed  maphash.Seed
	tell  Tell
	found bool // a secret, in what was read
}

// of is the digest of a text, where it is not shown as it is; zero where it is.
func (y eye) of(text, shown string) digest {
	if text == shown {
		return 0
	}
	return digest(maphash.String(y.seed, text) | 1)
}

// ofSegment is the digest of an escaped segment, however it is escaped.
func (y eye) ofSegment(segment, shown string) digest {
	if segment == shown {
		return 0
	}
	plain, err := url.PathUnescape(segment)
	if err != nil {
		plain = segment
	}
	return digest(maphash.String(y.seed, plain) | 1)
}

// note puts the digest of a text at the end of a list for so many places, where the text is not shown as it is.
func (y eye) note(list []digest, place int, text, shown string) []digest {
	if text == shown {
		return list
	}
	for len(list) < place {
		list = append(list, 0)
	}
	return append(list, y.of(text, shown))
}

// at is the digest at a place of a list.
func at(list []digest, i int) digest {
	if i < len(list) {
		return list[i]
	}
	return 0
}
