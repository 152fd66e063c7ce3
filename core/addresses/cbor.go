package addresses

import "encoding/binary"

// cbor reads the few kinds of CBOR that a Byron address is made of: definite lengths, shortest
// forms, nothing nested beyond what the caller asks for. It allocates nothing, and after the first
// surprise every answer is empty.
type cbor struct {
	data   []byte
	failed bool
}

// number reads a head of the major type and returns its number.
func (c *cbor) number(major byte) uint64 {
	if len(c.data) == 0 || c.data[0]>>5 != major {
		return c.fail()
	}
	info := c.data[0] & 31
	if info < 24 {
		c.data = c.data[1:]
		return uint64(info)
	}
	size := 1 << (info - 24)
	if info > 27 || len(c.data) < 1+size {
		return c.fail()
	}
	var wide [8]byte
	copy(wide[8-size:], c.data[1:1+size])
	value, least := binary.BigEndian.Uint64(wide[:]), uint64(24)
	if size > 1 {
		least = 1 << (4 * size)
	}
	if value < least {
		return c.fail()
	}
	c.data = c.data[1+size:]
	return value
}

// head reads a head that has to be exactly this one.
func (c *cbor) head(major byte, value uint64) {
	if c.number(major) != value {
		c.fail()
	}
}

// bytes reads a string of bytes or text.
func (c *cbor) bytes(major byte) []byte {
	size := c.number(major)
	if c.failed || size > uint64(len(c.data)) {
		c.fail()
		return nil
	}
	value := c.data[:size]
	c.data = c.data[size:]
	return value
}

func (c *cbor) fail() uint64 {
	c.failed, c.data = true, nil
	return 0
}
