package recipients_test

import (
	"slices"
	"testing"

	"causeway/core"
	"causeway/core/recipients"
)

// query is a question about an institution as it is delivered.
func query(t *testing.T, country, code string, channel core.Channel, number core.Private) core.AccountQuery {
	t.Helper()
	for _, b := range listed() {
		if b.Country == country && b.Known(code) {
			return core.AccountQuery{Country: country, Channel: channel, Bank: b, Number: number}
		}
	}
	t.Fatalf("no institution %s of %s is delivered", code, country)
	return core.AccountQuery{}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	const digit, prefix, length = core.CheckDigit, core.OperatorPrefix, core.AccountLength
	for _, c := range []struct {
		name, country, code string
		channel             core.Channel
		number              core.Private
		want                core.AccountWarning // none if empty
	}{
		{"the check digit holds", "NG", "044", core.BankTransfer, "0690000032", ""},
		{"the check digit fails", "NG", "044", core.BankTransfer, "0690000031", digit},
		{"a vendor's sample fails", "NG", "058", core.BankTransfer, "0022728151", digit},
		{"a bank's wallet look-up is a look-up at a bank", "NG", "044", core.MobileMoney, "0690000031", digit},
		{"OPay's are phone numbers", "NG", "100004", core.BankTransfer, "8031234567", ""},
		{"OPay's are phone numbers, by wallet", "NG", "100004", core.MobileMoney, "8031234567", ""},
		{"a payment service bank's are phone numbers", "NG", "120001", core.BankTransfer, "8091234567", ""},
		{"Moniepoint's may be phone numbers", "NG", "090405", core.BankTransfer, "8123456782", ""},
		{"Moniepoint's that holds", "NG", "090405", core.BankTransfer, "8123456781", ""},
		{"a microfinance bank", "NG", "090267", core.BankTransfer, "0000000146", ""},
		{"no check digits in Ghana", "GH", "030100", core.BankTransfer, "0690000031", ""},

		{"MTN's prefix at MTN", "GH", "MTN", core.MobileMoney, "+233241234567", ""},
		{"MTN's prefix at Telecel", "GH", "VOD", core.MobileMoney, "+233241234567", prefix},
		{"Telecel's prefix at MTN", "GH", "MTN", core.MobileMoney, "+233201234567", prefix},
		{"nobody's prefix", "GH", "MTN", core.MobileMoney, "+233221234567", ""},
		{"Airtel's prefix at M-PESA", "KE", "MPESA", core.MobileMoney, "+254733123456", prefix},
		{"a prefix that is excepted from Safaricom's", "KE", "MPESA", core.MobileMoney, "+254744123456", prefix},
		{"Safaricom's 757, inside Airtel's 75", "KE", "MPESA", core.MobileMoney, "+254757123456", ""},
		{"Telkom's 120", "KE", "MPESA", core.MobileMoney, "+254120123456", prefix},
		{"Airtel's prefix at MTN Uganda", "UG", "MTN", core.MobileMoney, "+256701123456", prefix},
		{"MTN's 724 in Uganda", "UG", "MTN", core.MobileMoney, "+256724123456", ""},
		{"MTN's prefix at Airtel Rwanda", "RW", "AIRTEL", core.MobileMoney, "+250781234567", prefix},
		{"Vodacom's prefix at Airtel Tanzania", "TZ", "AIRTEL", core.MobileMoney, "+255754123456", prefix},
		{"CI keeps its zero: Orange's prefix at Orange", "CI", "ORANGE", core.MobileMoney, "+2250701234567", ""},
		{"Orange's prefix at MTN CI", "CI", "MTN", core.MobileMoney, "+2250701234567", prefix},
		{"a wallet of no operator takes everybody's numbers", "CM", "EUMOBILE", core.MobileMoney, "+237671234567", ""},

		{"KCB's 10", "KE", "01", core.BankTransfer, "1234567890", ""},
		{"KCB with 13", "KE", "01", core.BankTransfer, "1234567890123", length},
		{"Equity's 13", "KE", "68", core.BankTransfer, "0123456789012", ""},
		{"Equity with 10, by its BIC", "KE", "EQBLKENA", core.BankTransfer, "0123456789", length},
		{"Co-operative's 14", "KE", "11", core.BankTransfer, "01234567890123", ""},
		{"Co-operative with 12", "KE", "11", core.BankTransfer, "012345678901", length},
		{"a Kenyan bank of which nothing is known", "KE", "03", core.BankTransfer, "012345678901", ""},
		{"Absa's 8 in South Africa", "ZA", "632005", core.BankTransfer, "12345678", ""},
		{"Absa with 11", "ZA", "632005", core.BankTransfer, "12345678901", length},
		{"Capitec with 9", "ZA", "470010", core.BankTransfer, "123456789", length},
		{"First National with 10", "ZA", "250655", core.BankTransfer, "1234567890", length},
		{"Nedbank with 9", "ZA", "198765", core.BankTransfer, "123456789", length},
		{"Standard with 9", "ZA", "051001", core.BankTransfer, "123456789", ""},
		{"Standard with 8", "ZA", "051001", core.BankTransfer, "12345678", length},
		{"Discovery with 11", "ZA", "679000", core.BankTransfer, "12345678901", ""},
		{"Tyme with 10", "ZA", "678910", core.BankTransfer, "1234567890", length},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var want []core.AccountWarning
			if c.want != "" {
				want = []core.AccountWarning{c.want}
			}
			if got := recipients.Warnings(query(t, c.country, c.code, c.channel, c.number)); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	t.Run("a pay bill has no bank", func(t *testing.T) {
		t.Parallel()
		if got := recipients.Warnings(core.AccountQuery{Country: "KE", Channel: core.PayBill, Number: "174379"}); len(got) > 0 {
			t.Errorf("got %v", got)
		}
	})
}
