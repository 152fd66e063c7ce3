package httpapi

// DepositWarnings are the warnings of deposit addresses, for the guide of errors.
var DepositWarnings = depositWarnings
