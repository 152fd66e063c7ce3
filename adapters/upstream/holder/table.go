package holder

// placeholders are what software writes where a name is missing, lower case.
var placeholders = []string{"null", "undefined", "n/a"}
