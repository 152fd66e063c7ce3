package addresses

import (
	"crypto/sha256"
	"hash"
	"io"

	"filippo.io/edwards25519"
	"golang.org/x/crypto/sha3"
)

// maxBytes is the longest text that any decoder sees; usualBytes is the limit where a network's
// standard does not need more.
const (
	maxBytes   = 512
	usualBytes = 200
)

// workspace is the scratch memory of one validation. What is computed about a text is kept until
// reset, so that asking every network about it decodes and hashes it once.
type workspace struct {
	base58 [2]base58Text // by alphabet
	bech32 bech32Text
	hex    evmText
	ss58   ss58Text

	bytes   [maxBytes]byte // the result of the last conversion
	fives   [maxBytes]byte // values of five bits on their way to bytes
	digest  [64]byte
	asking  bool    // other networks, whether the text is theirs: costly warnings are of no use
	reading reading // of the network that was asked about
	keccak  hash.Hash
	point   edwards25519.Point
}

func newWorkspace() *workspace { return &workspace{keccak: sha3.NewLegacyKeccak256()} }

// reset forgets the texts, which are private and may be secret.
func (w *workspace) reset() {
	w.base58[0].forget()
	w.base58[1].forget()
	w.bech32.text = ""
	if w.hex.text != "" {
		w.hex = evmText{}
	}
	w.ss58.text = ""
	w.asking, w.reading = false, reading{}
}

// keccak256 hashes data, which must not be on the caller's stack if nothing is to be allocated. The
// result is valid until the next hash.
func (w *workspace) keccak256(data []byte) []byte {
	w.keccak.Reset()
	_, _ = w.keccak.Write(data)
	_, _ = w.keccak.(io.Reader).Read(w.digest[:32]) // the sponge is read in place: Sum would copy it
	return w.digest[:32]
}

func doubleSHA256(data []byte) [32]byte {
	first := sha256.Sum256(data)
	return sha256.Sum256(first[:])
}
