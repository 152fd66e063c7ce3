package tracing

// Rejected reads a collector's answer, for the fuzzer.
var Rejected = rejected
