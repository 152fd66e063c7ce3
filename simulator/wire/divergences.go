package wire

import (
	"embed"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"
)

// Divergence is a known difference between the simulated providers and the real ones.
type Divergence struct {
	Provider string `json:"provider" doc:"Name of the provider, or all" example:"kraken"`
	What     string `json:"what" doc:"What differs"`
	Why      string `json:"why" doc:"Why it differs"`
	Test     string `json:"test" doc:"Folder and name of the test that shows it"`
}

// divergences are the differences that all providers have, and the differences in the folder of
// each provider.
//
//go:embed divergences.yaml */divergences.yaml
var divergences embed.FS

// Divergences returns the known differences from the real providers: first the differences that all
// have, then each provider's own, by name.
func Divergences() (out []Divergence) {
	files, _ := fs.Glob(divergences, "*/divergences.yaml") // the pattern is valid
	for _, file := range append([]string{"divergences.yaml"}, files...) {
		text, err := divergences.ReadFile(file)
		var rows []Divergence
		if err == nil {
			err = yaml.Unmarshal(text, &rows)
		}
		if err != nil {
			panic(err) // the file is part of the program
		}
		for _, d := range rows {
			if d.Provider = path.Dir(file); d.Provider == "." {
				d.Provider = "all"
			}
			out = append(out, d)
		}
	}
	return out
}
