package format

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// Printed returns a number as Ruby prints it: with a decimal point, and with an exponent below
// 0.0001.
func Printed(d decimal.Decimal) json.Number {
	text := d.String()
	digits := strings.TrimLeft(strings.TrimPrefix(text, "0."), "0")
	zeros := len(text) - len("0.") - len(digits)
	if !strings.HasPrefix(text, "0.") || zeros < 4 || digits == "" {
		return json.Number(Pointed(text))
	}
	mantissa := Pointed(digits[:1] + strings.TrimSuffix("."+digits[1:], "."))
	return json.Number(fmt.Sprintf("%se-%02d", mantissa, zeros+1))
}

// Pointed returns a plain number with a decimal point in it.
func Pointed(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}

// Clip shortens text of a request for an error message.
func Clip(text string) string {
	const limit = 10
	return text[:min(len(text), limit)]
}
