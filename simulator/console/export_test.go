package console

// Outcomes returns the outcomes of attempts, by name, in words.
func Outcomes() map[string]string {
	all := map[string]string{}
	for name, o := range outcomes {
		all[name] = o.Text
	}
	return all
}
