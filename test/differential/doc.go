// Package differential asks other people's libraries about the same addresses as Causeway: btcutil, mr-tron/base58,
// KarpelesLab/bech32m, go-ethereum and ethgo. It is a module of its own, so that none of them comes near the service.
//
// Each library is asked as it is called in the wild. Where it is wrong, the error has a name, is
// recognized by a rule of its own and must turn up; everywhere else it has to agree with the
// verdict of core/addresses, in the sandbox and in production.
//
// What is sent to collectors of traces is read by OpenTelemetry's types of the protocol.
package differential
