package history

import (
	"context"
	"errors"
	"io/fs"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Remedy is what the operator can do about an error of OpenFile or InspectFile, as one clause without a stop.
func Remedy(err error) string {
	const (
		release = "stop the other process that has it open, or look whether its disk still answers"
		permit  = "make its directory, and what is in it, writable for the user that causeway runs as"
		room    = "make room on its disk, and look whether that is sound"
		replace = "move it aside, and its -wal and -shm with it: the start makes a new one; or restore a copy"
	)
	if said, ok := errors.AsType[*sqlite.Error](err); ok {
		const primary = 0xff // sqlite.org/rescode.html: the rest says more about the same
		switch said.Code() & primary {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT:
			return release
		case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return permit
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
			return room
		}
		return replace
	}
	if _, place := errors.AsType[*fs.PathError](err); place {
		return permit
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return release
	}
	return replace
}
