// Package ports holds what the cores ask of the outside world, one interface per ability, each with the
// duties of whoever implements it. Package porttest turns the duties into suites that every adapter runs,
// over recorded answers and over the simulator's wire.
//
// Errors are core.Errors and keep three outcomes apart: NotFound is said only when the provider surely says
// so; whatever leaves a doubt (time-out, throttling, a refused key, an answer that cannot be read, an empty
// name) is Unavailable.
package ports
