package config

// Variables returns the environment variables of all settings; <NAME> stands for the keys of a map.
func Variables() []string {
	c := Default()
	var out []string
	for _, f := range fields(&c) {
		out = append(out, f.env())
	}
	return out
}
