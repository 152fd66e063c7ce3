package ports

import (
	"context"

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
