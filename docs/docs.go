// Package docs holds the guides. They are Markdown, so that a repository shows them, and the binary serves
// them at /docs.
package docs

import "embed"

// Files are the guides and their drawings. README.md lists the guides in the order of reading.
//
//go:embed *.md *.svg
var Files embed.FS
