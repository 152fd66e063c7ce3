package redis

import (
	"context"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"causeway/ports"
)

// Vault keeps sealed bytes for all replicas. What the server does not answer is not known.
type Vault struct{ server *Server }

var _ ports.Vault = Vault{}

// NewVault makes a vault.
func NewVault(server *Server) Vault { return Vault{server} }

func (v Vault) key(key [32]byte) string {
	return v.server.cfg.Prefix + "vault:" + base64.RawURLEncoding.EncodeToString(key[:])
}

// Load returns what was stored last under a key.
func (v Vault) Load(ctx context.Context, key [32]byte) ([]byte, bool) {
	var value []byte
	err := v.server.ask(ctx, "vault", func(ctx context.Context, client rueidis.Client) error {
		var err error
		value, err = client.Do(ctx, client.B().Get().Key(v.key(key)).Build()).AsBytes()
		return err
	})
	return value, err == nil
}

// Store keeps a value for ttl.
func (v Vault) Store(ctx context.Context, key [32]byte, value []byte, ttl time.Duration) {
	_ = v.server.ask(ctx, "vault", func(ctx context.Context, client rueidis.Client) error { // counted there; a vault may forget
		if ttl < time.Millisecond {
			return client.Do(ctx, client.B().Del().Key(v.key(key)).Build()).Error()
		}
		return client.Do(ctx, client.B().Set().Key(v.key(key)).Value(rueidis.BinaryString(value)).Px(ttl).Build()).Error()
	})
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
