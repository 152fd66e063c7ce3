package ports

import (
	"context"
	"time"

	"causeway/core"
)

// KeyRing finds the API key with a given credential.
//
// A credential that is unknown, malformed, expired or revoked is core.Unauthorized, and neither the
// error nor the time that it takes reveals which. If the keys cannot be read, a credential that may
// be valid is core.Unavailable. Find works in memory and is safe for concurrent use. Every
// process refuses a revoked key within five seconds.
type KeyRing interface {
	Find(ctx context.Context, credential core.Secret) (core.Key, error)
}

// APIKeyStore creates, lists and ends API keys.
//
// Create makes a key with the name, scopes, limit and expiry of the given one, and returns it with
// its credential, which is not stored. Rotate makes a key like an existing one, which expires after
// the overlap; if that one expires, the new key has the same lifetime from now on. Revoke ends a
// key for good; to revoke it again changes nothing. List returns all keys, revoked and expired ones
// included, in the order of their creation.
//
// Changes by several processes do not overwrite each other. A database that cannot be reached is
// core.Unavailable. All methods return promptly when ctx is done.
type APIKeyStore interface {
	Create(ctx context.Context, key core.Key) (core.Key, core.Secret, error)
	Rotate(ctx context.Context, id string, overlap time.Duration) (core.Key, core.Secret, error)
	Revoke(ctx context.Context, id string) error
	List(ctx context.Context) ([]core.Key, error)
}
