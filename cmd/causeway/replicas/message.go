package replicas

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"causeway/core"
	"causeway/core/pairs"
)

// snapshotFormat is the version of pairs.Snapshot as JSON. Raise it with every change of its fields,
// so that replicas of different releases do not misread each other during a rollout.
const snapshotFormat = 1

// message is what the leader shares.
type message struct {
	Format   int            `json:"format"`
	Leader   string         `json:"leader"`  // name of the process
	Process  uint64         `json:"process"` // random
	Sent     time.Time      `json:"sent"`
	Snapshot jsontext.Value `json:"snapshot"`
}

// rejection is why a replica does not use a message.
type rejection struct {
	reason string // label of a metric
	err    error
}

// forged is the reason of a rejection because of the signature.
const forged = "signature"

// signer signs messages with HMAC-SHA-256, so that only replicas with the same hash key can publish
// prices.
type signer struct{ key []byte }

// newSigner derives a key for messages of one installation from the secret that its replicas share.
func newSigner(secret core.Secret, prefix string) (signer, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "causeway shared prices v1 "+prefix, sha256.Size)
	return signer{key}, err
}

func (s signer) mac(text []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write(text) // never fails
	return mac.Sum(nil)
}

// seal returns the signed message with a snapshot.
func (s signer) seal(leader string, process uint64, snapshot *pairs.Snapshot, now time.Time) ([]byte, error) {
	encoded, err := json.Marshal(snapshot)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(message{snapshotFormat, leader, process, now, encoded})
	return append(s.mac(text), text...), err
}

// open returns a signed message and its snapshot.
func (s signer) open(sealed []byte, now time.Time) (m message, snapshot *pairs.Snapshot, rejected *rejection) {
	if len(sealed) < sha256.Size || !hmac.Equal(sealed[:sha256.Size], s.mac(sealed[sha256.Size:])) {
		return m, nil, &rejection{forged, errors.New("the signature is not of this hash key")}
	}
	malformed := &rejection{"malformed", errors.New("the message is not JSON of this release")}
	if json.Unmarshal(sealed[sha256.Size:], &m) != nil {
		return m, nil, malformed
	}
	if m.Format != snapshotFormat {
		return m, nil, &rejection{"version", fmt.Errorf("%s has another release: its snapshots have the format %d, not %d",
			m.Leader, m.Format, snapshotFormat)}
	}
	if age := now.Sub(m.Sent); age > messageAge {
		return m, nil, &rejection{"expired", fmt.Errorf("the message is %s old", age)}
	}
	if json.Unmarshal(m.Snapshot, &snapshot) != nil || snapshot == nil {
		return m, nil, malformed
	}
	return m, snapshot, nil
}
