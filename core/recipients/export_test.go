package recipients

// Warnings is warnings, for the tests of its table.
var Warnings = warnings
