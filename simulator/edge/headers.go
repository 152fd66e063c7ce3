package edge

// Header is one that the door reads or writes, with what it means.
type Header struct{ Name, Doc string }

// Asks are the headers of requests that choose among answers.
func Asks() []Header {
	return []Header{
		{headerWorld, "The simulated world that is asked: any name makes one of its own, with its own data, clock and limits. Without it: default"},
		{headerScenario, "What is to come of this request: a name of /_sim/v1/catalog, such as error:not_found"},
	}
}

// Tells are the headers of every answer.
func Tells() []Header {
	return []Header{
		{headerWorld, "The simulated world that answered"},
		{headerTime, "The time there, as RFC 3339"},
		{headerApplied, "What decided the answer, such as magic:200 or fault:f1; none where nothing did"},
	}
}

// Errors are those that the door adds: a header that cannot be, and a world that has ended.
func Errors() []string { return []string{"request_validation", "world_expired"} }
