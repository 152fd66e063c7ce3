package simtest

import "sync"

// shared is the sandbox of this test process. It is started once.
var shared = sync.OnceValues(start)
