package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
)

func coded(code, cbn string) core.Bank {
	return core.Bank{Country: "NG", Code: code, Codes: map[string]string{core.CBN: cbn}}
}

// TestNUBAN covers the examples of the standard and of providers' documentation, and every spelling of
// a bank's code.
func TestNUBAN(t *testing.T) {
	t.Parallel()
	ghana := coded("044", "044")
	ghana.Country = "GH"
	for _, c := range []struct {
		name           string
		bank           core.Bank
		number         core.Private
		matches, known bool
	}{
		{"the standard's first example", coded("000016", "011"), "0000014579", true, true},
		{"the standard's second example, check digit 0", coded("000016", "011"), "0000000220", true, true},
		{"Flutterwave's test account", coded("000014", "044"), "0690000032", true, true},
		{"Flutterwave's other test account", coded("000014", "044"), "0690000031", false, true},
		{"Busha's example", coded("000004", "033"), "2109328188", true, true},
		{"Monnify's example", coded("000015", "057"), "2085886393", true, true},
		{"Korapay's example", coded("000003", "214"), "5273681014", true, true},
		{"Paystack's example does not match", coded("000013", "063"), "0022728151", false, true},
		{"Paystack's example, corrected", coded("000013", "063"), "0022728156", true, true},
		{"5 digits", coded("090001", "50211"), "2012345676", true, true},
		{"5 digits, again", coded("090405", "50515"), "8123456781", true, true},
		{"5 digits, with zeros", coded("090267", "50547"), "0000000145", true, true},
		{"6 digits as the CBN code", coded("090286", "950547"), "0000000145", true, true},
		{"the CBN code is the bank's own", coded("044", ""), "0690000032", true, true},
		{"3 digits written as 5", coded("000014", "00044"), "0690000032", true, true},
		{"101 of the candidates of 5050114930", coded("", "101"), "5050114930", true, true},
		{"068 of the candidates of 5050114930", coded("", "068"), "5050114930", true, true},
		{"035 of the candidates of 5050114930", coded("", "035"), "5050114930", true, true},
		{"057 of the candidates of 5050114930", coded("", "057"), "5050114930", true, true},
		{"not a candidate of 5050114930", coded("", "058"), "5050114930", false, true},
		{"a NIP code alone", coded("090286", ""), "0000000145", false, false},
		{"a provider's code", coded("FC40163", "FC40163"), "0000000145", false, false},
		{"a bank without codes", core.Bank{Country: "NG"}, "0000000145", false, false},
		{"a bank of another country", ghana, "0690000032", false, false},
		{"9 digits", coded("044", ""), "069000003", false, false},
		{"11 digits", coded("044", ""), "00690000032", false, false},
		{"10 bytes with a letter", coded("044", ""), "069000003O", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if matches, known := core.NUBAN(c.bank, c.number); matches != c.matches || known != c.known {
				t.Errorf("got %t, known %t; want %t, known %t", matches, known, c.matches, c.known)
			}
		})
	}
}

// TestNUBAN_OneDigit: of ten numbers that differ in the last digit only, exactly one matches a bank.
func TestNUBAN_OneDigit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		bank := coded("", rapid.StringMatching(`[0-9]{3}|[1-9][0-9]{4}|9[0-9]{5}`).Draw(rt, "code"))
		serial := rapid.StringMatching(`[0-9]{9}`).Draw(rt, "serial")
		count := 0
		for digit := range "0123456789" {
			if matches, known := core.NUBAN(bank, core.Private(serial+string("0123456789"[digit]))); !known {
				rt.Fatalf("unknown institution code %s", bank.Codes["cbn"])
			} else if matches {
				count++
			}
		}
		if count != 1 {
			rt.Errorf("%s: %d check digits match, want 1", serial, count)
		}
	})
}
