package control

import (
	"encoding/json"
	"net/http"
	"net/url"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/world"
)

func aboutDocuments() []operation {
	const tag = "Worlds"
	return []operation{
		{
			id: "export-world", method: http.MethodGet, path: "/worlds/{id}/export", tag: tag, summary: "Export a world", said: "World exported", gives: exampleDocument(),
			doc: "Everything that its answers depend on, apart from what its services have learned: with it the same world goes on elsewhere. Account numbers and names that were set " +
				"are in it as they are. With `?format=file` the document comes alone, as a file that `import` takes.",
			query:   []parameter{{name: "format", doc: "`file`: the document alone", example: "file", enum: []string{"json", "file"}}},
			formats: []string{contentJSON}, handle: exportWorld,
		},
		{
			id: "import-world", method: http.MethodPost, path: "/worlds/{id}/import", tag: tag, summary: "Make a world of a document", said: "World imported",
			most: importBody, takes: exampleDocument(), gives: exampleWorld(),
			doc: "The world is made where it is not, and replaced where it is. The id of the path takes the place of that of the document. A document that was exported over other data " +
				"(`dataset`) is refused: its world would answer differently here.",
			errors: []apierror.Name{apierror.TooManyRequests}, handle: importWorld,
		},
	}
}

func exportWorld(c *call) (any, error) {
	d, err := c.api.worlds.Export(c.world.ID())
	if err != nil || c.query["format"] != "file" {
		return d, err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return file{contentType: contentJSON, name: "world.json", body: append(text, '\n')}, err
}

func importWorld(c *call) (any, error) {
	d, err := readDocument(c.body)
	if err != nil {
		return nil, err
	}
	d.World.ID = c.r.PathValue("id")
	w, err := c.api.worlds.Import(d)
	if err != nil {
		return nil, err
	}
	c.world = w
	c.record(w, c.r, c.body)
	return viewOf(w), nil
}

// readDocument reads a world's document. One of another format is refused as that, whatever it has in it.
func readDocument(body []byte) (world.Document, error) {
	d, err := read[world.Document](body)
	if err == nil {
		return d, nil
	}
	var head struct {
		Format *int `json:"format"`
	}
	if json.Unmarshal(body, &head) == nil && head.Format != nil {
		if _, refused := world.ParseDocument(body); refused != nil {
			if e, ok := refused.(*core.Error); ok && len(e.Fields) > 0 { //nolint:errorlint // as it comes
				return d, e
			}
		}
	}
	return d, err
}

// recordImport records in a new world how somebody else would make the same one.
func (c *call) recordImport(w *world.World) error {
	d, err := c.api.worlds.Export(w.ID())
	if err != nil {
		return err
	}
	as := c.r.Clone(c.r.Context())
	as.Method = http.MethodPost
	as.URL = &url.URL{Path: Prefix + "/worlds/" + w.ID() + "/import", RawPath: Prefix + "/worlds/" + url.PathEscape(w.ID()) + "/import"}
	c.record(w, as, apierror.Encode(d))
	return nil
}
