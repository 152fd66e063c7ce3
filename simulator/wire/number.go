package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"causeway/simulator"
)

// rounded is an amount to the nearest with so many decimal places.
func rounded(a simulator.Amount, places int) simulator.Amount {
	const most = 19 // digits of a uint64
	switch {
	case a.Places <= places:
		return a
	case a.Places-places > most:
		return simulator.Amount{Places: places}
	}
	cut := pow10(a.Places - places)
	return simulator.Amount{Units: (a.Units + cut/2) / cut, Places: places}
}

// pow10 is 10 to the n, n up to 19.
func pow10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// printed is a number as Ruby and its like print it: with a point, and with an exponent below 0.0001.
func printed(a simulator.Amount) json.Number {
	text := a.Trimmed()
	digits := strings.TrimLeft(strings.TrimPrefix(text, "0."), "0")
	zeros := len(text) - len("0.") - len(digits)
	if !strings.HasPrefix(text, "0.") || zeros < 4 || digits == "" {
		return json.Number(pointed(text))
	}
	return json.Number(fmt.Sprintf("%se-%02d", pointed(digits[:1]+strings.TrimSuffix("."+digits[1:], ".")), zeros+1))
}

// pointed is a plain decimal with a point in it, as languages with one type for fractions print it.
func pointed(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}
