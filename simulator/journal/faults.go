package journal

import (
	"fmt"

	"causeway/core"
)

// fault says what is wrong with one field of what was sent.
func fault(field, format string, args ...any) core.FieldError {
	return core.FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// invalid is all faults as one error, or none.
func invalid(faults []core.FieldError) error {
	if len(faults) == 0 {
		return nil
	}
	return core.InvalidFields(faults...)
}
