package ports

import (
	"context"
	"time"

	"causeway/core"
)

// KeyRing knows the credentials of callers.
//
// Find returns the key behind a credential as a caller sent it. One that is unknown, malformed, expired or revoked is
// core.Unauthorized, and the time that takes tells nothing about which; a ring that cannot be reached and does not know the credential
// is core.Unavailable. Find is called for every request: it answers from memory, notes that the key is in use, and is safe for
// concurrent use. A key that is revoked is refused within five seconds, everywhere.
type KeyRing interface {
	Find(ctx context.Context, credential core.Secret) (core.Key, error)
}

// KeyStore keeps the keys of an installation.
//
// Read returns the keys in the order in which they were made, and a mark of that state; it returns the mark seen alone, and no keys,
// where nothing changed since Read returned that mark. Change replaces the keys by what edit makes of them: those that it is given, some
// of them changed, and new ones behind. What others change at the same time is not lost: edit may be called again, with what they
// made. Where edit returns an error, that comes back, and nothing changes. Note notes when keys were used, by id; Used returns the latest
// instant that was noted of each, to the second at least.
// A store that cannot be reached is core.Unavailable. All methods are safe for concurrent use, by several processes as well, and return
// promptly when ctx is done.
type KeyStore interface {
	Read(ctx context.Context, seen string) (keys []core.StoredKey, mark string, err error)
	Change(ctx context.Context, edit func([]core.StoredKey) ([]core.StoredKey, error)) error
	Note(ctx context.Context, used map[string]time.Time) error
	Used(ctx context.Context) (map[string]time.Time, error)
}

// APIKeyStore creates, lists and ends API keys.
//
// Create makes a key with the name, scopes, limit and expiry of the given one, and returns it with
// its credential, which is not stored. Rotate makes a key like an existing one, which expires after
// the overlap. Revoke ends a key for good; to revoke it again changes nothing. List returns all
// keys, revoked and expired ones included, in the order of their creation.
//
// Changes by several processes do not overwrite each other. A database that cannot be reached is
// core.Unavailable. All methods return promptly when ctx is done.
type APIKeyStore interface {
	Create(ctx context.Context, key core.Key) (core.Key, core.Secret, error)
	Rotate(ctx context.Context, id string, overlap time.Duration) (core.Key, core.Secret, error)
	Revoke(ctx context.Context, id string) error
	List(ctx context.Context) ([]core.Key, error)
}
