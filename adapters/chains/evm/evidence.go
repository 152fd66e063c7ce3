package evm

import "causeway/adapters/chains/backend"

var evidence []backend.Evidence
