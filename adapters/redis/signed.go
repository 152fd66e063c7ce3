package redis

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"strings"

	"causeway/core"
)

// encode writes a key with its signature before it.
func (k *Keys) encode(key core.StoredKey) string {
	text, err := json.Marshal(key)
	if err != nil {
		panic(err) // texts, times and numbers can all be written
	}
	return base64.RawStdEncoding.EncodeToString(keyedHash(k.secret, string(text))) + " " + string(text)
}

// decode reads a key that is signed and stands where it belongs.
func (k *Keys) decode(id, written string) (core.StoredKey, bool) {
	signature, text, _ := strings.Cut(written, " ")
	mac, err := base64.RawStdEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(mac, keyedHash(k.secret, text)) {
		return core.StoredKey{}, false
	}
	var key core.StoredKey
	err = json.Unmarshal([]byte(text), &key)
	return key, err == nil && key.ID == id
}
