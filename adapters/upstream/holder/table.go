package holder

// placeholders are values that software writes in place of a missing name, in lower case.
var placeholders = []string{"null", "undefined", "n/a"}

// states are wordings for an account that is closed or takes no money, in lower case, without a
// final full stop.
var states = []string{
	"account is closed", "account closed", "closed account",
	"account is dormant", "account dormant", "dormant account",
}
