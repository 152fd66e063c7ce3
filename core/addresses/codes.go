package addresses

import (
	"maps"

	"causeway/core/addresses/codes"
)

// The reasons why an address cannot be paid. Codes are added, never renamed.
const (
	Empty            = "empty"
	TooLong          = "too_long"
	NotASCII         = "not_ascii"
	Whitespace       = "whitespace"
	BadCharacter     = codes.BadCharacter
	BadLength        = codes.BadLength
	BadCase          = codes.BadCase
	BadChecksum      = codes.BadChecksum
	BadVersion       = codes.BadVersion
	BadEncoding      = codes.BadEncoding
	WrongNetwork     = "wrong_network"
	WrongEnvironment = "wrong_environment"
	NotPayable       = "not_payable"
	SecretKey        = "secret_key"
	PaymentURI       = "payment_uri"

	PaymentURIMalformed     = "payment_uri_malformed"
	PaymentURINoAddress     = "payment_uri_no_address"
	PaymentURIAmount        = "payment_uri_bad_amount"
	PaymentURIOtherCurrency = "payment_uri_other_currency"
	PaymentURIOtherNetwork  = "payment_uri_other_network"
	PaymentURIRequired      = "payment_uri_required_parameter"
	PaymentURIAmbiguous     = "payment_uri_ambiguous"

	LightningInvoice  = "lightning_invoice"
	NameNotAddress    = "name_not_address"
	ExtendedPublicKey = "extended_public_key"
	UnsupportedFormat = "unsupported_format"
	MemoNotANumber    = "memo_not_a_number"
	MemoOutOfRange    = "memo_out_of_range"
	MemoTooLong       = "memo_too_long"
	MemoBadEncoding   = "memo_bad_encoding"
	MemoConflict      = "memo_conflict"
)

// The warnings about a valid address. Codes are added, never renamed.
const (
	ChecksumAbsent      = "checksum_absent"
	MemoIgnored         = "memo_ignored"
	MemoRecommended     = "memo_recommended"
	BurnAddress         = "burn_address"
	ZeroAddress         = "zero_address"
	ContractLikeAddress = "contract_like_address"
	OffCurve            = "off_curve"
	NonstandardWitness  = "nonstandard_witness"
	LegacyFormat        = "legacy_format"
	ReservedName        = "reserved_name"
	ShieldedAddress     = "shielded_address"
	UnusualFormat       = "unusual_format"
)

// sentences is what each code means, for people. Source: the rules of this package, 2026-11.
var sentences = map[string]string{
	Empty:   "The address is empty.",
	TooLong: "The text is longer than any address of this network.",
	NotASCII: "The address contains a character that is not plain ASCII: a look-alike letter, a full-width " +
		"digit or an invisible mark. Copy it again from the wallet.",
	Whitespace: "The address contains a space, a line break or a control character. Remove it, or copy the " +
		"address again.",
	BadCharacter: "The address contains a character that this network's addresses never use.",
	BadLength: "The address does not have the length of an address of this network: a part is missing, or " +
		"there is too much.",
	BadCase: "The address mixes upper-case and lower-case letters where its format allows only one of them.",
	BadChecksum: "The checksum does not match: at least one character is wrong, missing or swapped. Copy the " +
		"address again.",
	BadVersion:       "The address is well-formed, but its prefix or version is not one that this network pays to.",
	BadEncoding:      "The address is not written the one way in which its format has to be written.",
	WrongNetwork:     "This is an address of another network. Sent here, the money would be lost or bounce.",
	WrongEnvironment: "This is an address of a test network; real payments cannot go there.",
	NotPayable: "The text is a well-formed identifier of this network, but of a kind that cannot receive a " +
		"payment, such as a stake, operator, contract or public key.",
	SecretKey: "The text is, or may be, a private key, seed or recovery phrase. Whoever has it controls the " +
		"money: never send it to anybody, and move the funds if it was shown.",
	PaymentURI: "This is a payment link of a kind that is not read here. Send the address inside it, and the " +
		"amount and memo in their own fields.",
	PaymentURIMalformed: "The payment link is not written as its standard requires: a part is repeated, badly " +
		"encoded or too long. Ask for a new link, or for the address alone.",
	PaymentURINoAddress: "The payment link has no address. Ask for one that has, or for the address alone.",
	PaymentURIAmount: "The amount in the payment link is not a number above zero in digits with at most one " +
		"point, or has more decimals than the currency. Ask for a new link, or for the address alone.",
	PaymentURIOtherCurrency: "The payment link asks for another currency than the payment is of. Ask the " +
		"recipient for the address for this currency.",
	PaymentURIOtherNetwork: "The payment link is of another network. Sent here, the money would be lost. Ask the " +
		"recipient for the address on this network.",
	PaymentURIRequired: "The payment link requires the payer to know a parameter (req-…) that is not known here. " +
		"Ask for a link without it, or for the address alone.",
	PaymentURIAmbiguous: "Wallets read this payment link differently, so that the payment may go elsewhere or be " +
		"of another amount. Ask for the address alone.",
	LightningInvoice: "This is a Lightning invoice, LNURL or Lightning address; only on-chain addresses can be " +
		"paid here. Pay it with a Lightning wallet, or ask for an on-chain address.",
	NameNotAddress: "This is a name, not an address. Look up the address that it stands for with a wallet or at " +
		"its name service, compare it with the recipient's, and send that.",
	ExtendedPublicKey: "This is an extended public key, from which a wallet derives many addresses. Send one of those " +
		"addresses.",
	UnsupportedFormat: "This way of writing an account exists, but ordinary wallets of this network do not pay to it. " +
		"Ask for the usual form.",
	MemoNotANumber: "The memo has to be a whole number written in the digits 0 to 9.",
	MemoOutOfRange: "The memo is a number larger than the network can carry.",
	MemoTooLong:    "The memo has more bytes than the network can carry.",
	MemoBadEncoding: "The memo is not written as its kind requires, or contains characters that the network cannot " +
		"carry.",
	MemoConflict: "The memo does not go with the address: the address carries another one, or is of a kind that " +
		"takes none.",

	ChecksumAbsent: "The address carries no checksum, so a typing mistake cannot be noticed. Compare every " +
		"character.",
	MemoIgnored: "This network has no memo; the one given has no effect. If the recipient asked for a memo, " +
		"check the network.",
	MemoRecommended: "Exchanges and other shared accounts need a memo or tag on this network; without it the money " +
		"may not be credited.",
	BurnAddress: "Nobody can spend from this address; whatever is sent there is lost.",
	ZeroAddress: "This is the address made of zeros; whatever is sent there is lost.",
	ContractLikeAddress: "This is a contract, token or program, not a person's wallet. Most of them cannot give money " +
		"back.",
	OffCurve: "No private key belongs to this address: it is controlled by a program. That is right for a " +
		"shared vault and wrong for a token account.",
	NonstandardWitness: "The address is well-formed, but the network has no spending rule for it yet: anyone may take " +
		"what is sent there.",
	LegacyFormat: "This is an old spelling that some wallets refuse. The normalized field has the current one " +
		"where there is one.",
	ReservedName:    "This is a reserved or system account, not a person's.",
	ShieldedAddress: "This is a private (shielded) address; many exchanges cannot pay to it.",
	UnusualFormat:   "The form is legal but rare; many wallets and exchanges refuse it.",
}

// Codes returns every reason and warning with its sentence. The map is the caller's.
func Codes() map[string]string { return maps.Clone(sentences) }

// warnings is a set of warnings, one bit each.
type warnings uint16

const (
	checksumAbsent warnings = 1 << iota
	memoIgnored
	memoRecommended
	burnAddress
	zeroAddress
	contractLike
	offCurve
	nonstandardWitness
	legacyFormat
	reservedName
	shieldedAddress
	unusualFormat
)

// warningCodes are the codes of the bits, lowest first.
var warningCodes = [...]string{
	ChecksumAbsent, MemoIgnored, MemoRecommended, BurnAddress, ZeroAddress, ContractLikeAddress,
	OffCurve, NonstandardWitness, LegacyFormat, ReservedName, ShieldedAddress, UnusualFormat,
}
