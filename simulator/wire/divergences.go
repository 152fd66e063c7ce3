package wire

import (
	"embed"
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

// divergences are the differences that all providers have, and those in the folder of each
// provider.
//
//go:embed divergences.yaml */divergences.yaml
var divergences embed.FS

// Divergences returns the known differences from the real providers: those of all providers first,
// then those of each provider by name.
func Divergences() []Divergence {
	out := listed("divergences.yaml", "all")
	folders, _ := divergences.ReadDir(".") // embedded
	for _, folder := range folders {
		if folder.IsDir() {
			out = append(out, listed(path.Join(folder.Name(), "divergences.yaml"), folder.Name())...)
		}
	}
	return out
}

func listed(file, provider string) (out []Divergence) {
	text, err := divergences.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // the file is part of the program
	}
	for i := range out {
		out[i].Provider = provider
	}
	return out
}
