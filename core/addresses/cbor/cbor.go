// Package cbor reads the few kinds of CBOR that a Byron address of Cardano is made of.
package cbor

import "encoding/binary"

// Reader reads the few kinds of CBOR that a Byron address is made of: definite lengths, shortest
// forms, nothing nested beyond what the caller reads. It allocates nothing, and after the first
// surprise every result is empty.
type Reader struct {
	Data   []byte
	Failed bool
}

// Number reads a head of the major type and returns its number.
func (c *Reader) Number(major byte) uint64 {
	if len(c.Data) == 0 || c.Data[0]>>5 != major {
		return c.fail()
	}
	info := c.Data[0] & 31
	if info < 24 {
		c.Data = c.Data[1:]
		return uint64(info)
	}
	size := 1 << (info - 24)
	if info > 27 || len(c.Data) < 1+size {
		return c.fail()
	}
	var wide [8]byte
	copy(wide[8-size:], c.Data[1:1+size])
	value, least := binary.BigEndian.Uint64(wide[:]), uint64(24)
	if size > 1 {
		least = 1 << (4 * size)
	}
	if value < least {
		return c.fail()
	}
	c.Data = c.Data[1+size:]
	return value
}

// Head reads a head that has to be exactly this one.
func (c *Reader) Head(major byte, value uint64) {
	if c.Number(major) != value {
		c.fail()
	}
}

// Bytes reads a string of bytes or text.
func (c *Reader) Bytes(major byte) []byte {
	size := c.Number(major)
	if c.Failed || size > uint64(len(c.Data)) {
		c.fail()
		return nil
	}
	value := c.Data[:size]
	c.Data = c.Data[size:]
	return value
}

func (c *Reader) fail() uint64 {
	c.Failed, c.Data = true, nil
	return 0
}
