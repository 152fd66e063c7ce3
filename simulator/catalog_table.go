package simulator

import (
	"sync"
	"time"

	"causeway/core"
)

// catalog is made once: it never changes.
var catalog = sync.OnceValue(makeCatalog)

// scenarioStart is a Monday, when official rates are new.
var scenarioStart = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

const transferChannel = core.BankTransfer
