// Package ports holds the interfaces between the domain cores and the outside world. Each documents
// the duties of its implementations. Package porttest turns the duties of stores into test suites.
// Package adapters/providers/providertest does so for the duties of providers: every provider passes
// them over recorded responses and over its simulation.
//
// All errors are core.Errors with three separate outcomes: NotFound only if the provider is
// certain, Invalid or Unsupported for a wrong request, and Unavailable in all
// doubtful cases: a timeout, throttling, a refused key, an unreadable response, an empty name.
package ports
