// Package crc16 computes CRC-16/XMODEM, the checksum of Stellar and TON.
package crc16

// steps is the remainder of the polynomial 0x1021 for each value of the byte shifted out.
var steps = newSteps()

func newSteps() [256]uint16 {
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

// Sum returns the checksum of data.
func Sum(data []byte) uint16 {
	sum := uint16(0)
	for _, v := range data {
		sum = sum<<8 ^ steps[byte(sum>>8)^v]
	}
	return sum
}
