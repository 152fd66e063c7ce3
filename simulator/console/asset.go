package console

import (
	"io/fs"
	"net/http"
	"path"
)

// files reads what is served as it is, by name.
func files() (map[string][]byte, error) {
	out := map[string][]byte{}
	entries, err := fs.ReadDir(assets, "assets")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if out[e.Name()], err = assets.ReadFile("assets/" + e.Name()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// asset serves a style or a script.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	body, there := c.files[name]
	if !there {
		c.refuse(w, http.StatusNotFound, "There is no such file.")
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)]+"; charset=utf-8")
	_, _ = w.Write(body)
}
