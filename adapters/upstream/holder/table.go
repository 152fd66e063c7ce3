package holder

// placeholders are what software writes where a name is missing, lower case.
var placeholders = []string{"null", "undefined", "n/a"}

// states are wordings of an account that was one, or takes no money, as providers have them: lower case, without a last full stop.
var states = []string{
	"account is closed", "account closed", "closed account",
	"account is dormant", "account dormant", "dormant account",
}
