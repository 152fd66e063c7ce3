package kraken

// Read is how the socket understands a message.
var Read = read
