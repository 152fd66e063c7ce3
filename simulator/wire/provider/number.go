package provider

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"causeway/simulator/market"
)

// Rounded is an amount to the nearest with so many decimal places.
func Rounded(a market.Amount, places int) market.Amount {
	const most = 19 // digits of a uint64
	switch {
	case a.Places <= places:
		return a
	case a.Places-places > most:
		return market.Amount{Places: places}
	}
	cut := Pow10(a.Places - places)
	return market.Amount{Units: (a.Units + cut/2) / cut, Places: places}
}

// Pow10 is 10 to the n, n up to 19.
func Pow10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// Printed is a number as Ruby and its like print it: with a point, and with an exponent below 0.0001.
func Printed(a market.Amount) json.Number {
	text := a.Trimmed()
	digits := strings.TrimLeft(strings.TrimPrefix(text, "0."), "0")
	zeros := len(text) - len("0.") - len(digits)
	if !strings.HasPrefix(text, "0.") || zeros < 4 || digits == "" {
		return json.Number(Pointed(text))
	}
	return json.Number(fmt.Sprintf("%se-%02d", Pointed(digits[:1]+strings.TrimSuffix("."+digits[1:], ".")), zeros+1))
}

// Pointed is a plain decimal with a point in it, as languages with one type for fractions print it.
func Pointed(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}

// TurnoverOf is what a day's volume was worth, in the counter currency, to eight decimal places.
func TurnoverOf(day market.Day) string {
	units := new(big.Int).Mul(new(big.Int).SetUint64(day.Volume.Units), new(big.Int).SetUint64(day.Average.Units))
	const places = 8
	for cut := day.Volume.Places + day.Average.Places - places; cut != 0; {
		if cut > 0 {
			units.Quo(units, big.NewInt(10))
			cut--
		} else {
			units.Mul(units, big.NewInt(10))
			cut++
		}
	}
	digits := units.String()
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - places
	return strings.TrimRight(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// Higher returns the higher of two prices of one market.
func Higher(a, b market.Amount) market.Amount {
	return market.Amount{Units: max(a.Units, b.Units), Places: a.Places}
}

// Lower returns the lower of two prices of one market.
func Lower(a, b market.Amount) market.Amount {
	return market.Amount{Units: min(a.Units, b.Units), Places: a.Places}
}

// Clip keeps what is quoted back short.
func Clip(text string) string {
	const most = 10
	return text[:min(len(text), most)]
}
