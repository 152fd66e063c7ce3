package addresses

// base58Values are the values of the letters of the two dialects, -1 for every other byte.
var base58Values = [2][256]int8{letterValues(bitcoinAlphabet, ""), letterValues(rippleAlphabet, "")}

// bech32Values are the values of the letters of BIP-173 in either case.
var bech32Values = letterValues(bech32Alphabet, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")

// base32Values are the values of the upper-case letters of RFC 4648.
var base32Values = letterValues("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "")

// base64Values are the values of the letters of RFC 4648 in both alphabets, URL-safe and plain.
var base64Values = letterValues(
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

// nanoValues are the values of the letters of Nano's base32.
var nanoValues = letterValues("13456789abcdefghijkmnopqrstuwxyz", "")

// confluxValues are the values of the letters of CIP-37.
var confluxValues = letterValues("abcdefghjkmnprstuvwxyz0123456789", "")

// c32Values are the values of the letters of c32, those that read alike included.
var c32Values = c32Letters()

// hexValues are the values of the hexadecimal digits in either case.
var hexValues = letterValues("0123456789abcdef", "0123456789ABCDEF")

// letterCases marks small letters with 1, capitals with 2 and digits with 4.
var letterCases = caseMarks()

// The kinds of bytes that decide what a text can be at all.
const (
	blankByte   byte = 1 << iota // spaces and control characters
	foreignByte                  // not ASCII
	listByte                     // between the words of a list
	markByte                     // - and _: with the blanks, the separators that every mark of a secret contains
	joinByte                     // other signs that can join words
)

// byteKinds marks the bytes.
var byteKinds = byteMarks()

// cashSteps is the generator of the checksum of cashaddr for each value of the five bits shifted
// out.
var cashSteps = cashGenerator([5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470})

// bech32Steps is the generator of the BIP-173 checksum for each value of the five bits shifted out.
var bech32Steps = generator([5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3})

// crc16Steps is the remainder of CRC-16/XMODEM, polynomial 0x1021, for each value of the byte
// shifted out.
var crc16Steps = crc16Remainders()

// c32Letters adds O for 0, and L and I for 1, to the alphabet.
func c32Letters() [256]int8 {
	values := letterValues(c32Alphabet, "")
	values['O'], values['L'], values['I'] = 0, 1, 1
	return values
}

// letterValues inverts an alphabet, and a second spelling of it where there is one.
func letterValues(alphabet, second string) [256]int8 {
	var values [256]int8
	for i := range values {
		values[i] = -1
	}
	for i := range len(alphabet) {
		values[alphabet[i]] = int8(i)
	}
	for i := range len(second) {
		values[second[i]] = int8(i)
	}
	return values
}

func byteMarks() [256]byte {
	var marks [256]byte
	for c := range marks {
		switch {
		case c <= ' ' || c == 0x7f:
			marks[c] = blankByte
		case c >= 0x80:
			marks[c] = foreignByte
		}
	}
	marks[','], marks[';'], marks['-'], marks['_'] = listByte, listByte, markByte, markByte
	for _, c := range []byte("./|+:*#&=~") {
		marks[c] = joinByte
	}
	return marks
}

// kindsIn returns the kinds of all bytes of a text.
func kindsIn(text string) byte {
	seen := byte(0)
	for i := range len(text) {
		seen |= byteKinds[text[i]]
	}
	return seen
}

func caseMarks() [256]byte {
	var marks [256]byte
	for c := byte('a'); c <= 'z'; c++ {
		marks[c], marks[c-'a'+'A'] = 1, 2
	}
	for c := byte('0'); c <= '9'; c++ {
		marks[c] = 4
	}
	return marks
}

func cashGenerator(rows [5]uint64) [32]uint64 {
	var steps [32]uint64
	for top := range steps {
		for bit, row := range rows {
			if top>>bit&1 == 1 {
				steps[top] ^= row
			}
		}
	}
	return steps
}

func crc16Remainders() [256]uint16 {
	var steps [256]uint16
	for top := range steps {
		sum := uint16(top) << 8
		for range 8 {
			sum = sum<<1 ^ 0x1021*(sum>>15)
		}
		steps[top] = sum
	}
	return steps
}

func generator(rows [5]uint32) [32]uint32 {
	var steps [32]uint32
	for top := range steps {
		for bit, row := range rows {
			if top>>bit&1 == 1 {
				steps[top] ^= row
			}
		}
	}
	return steps
}

// witnessNames are the scripts of witness version 0 by the length of their program.
var witnessNames = map[int]string{20: "p2wpkh", 32: "p2wsh"}
