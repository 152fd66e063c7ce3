package edge

// Header is a header with its description.
type Header = struct{ Name, Doc string }

// RequestHeaders are the headers of requests that the Handler reads. Responses vary by them.
func RequestHeaders() []Header {
	return []Header{
		{headerWorld, "The simulated world: a new name makes a world with its own data, clock and limits. " +
			"Default: default"},
		{headerScenario, "The outcome of this request: a name of /_sim/v1/catalog, such as error:not_found"},
	}
}

// ResponseHeaders are the headers of every response.
func ResponseHeaders() []Header {
	return []Header{
		{headerWorld, "The simulated world of the response"},
		{headerTime, "The time there, as RFC 3339"},
		{headerApplied, "What decided the response, such as magic:200 or fault:f1; none if nothing did"},
	}
}

// Errors are the names of the errors that the Handler adds: an invalid header, and a world that has
// ended.
func Errors() []string { return []string{"request_validation", "world_expired"} }
