package console

import "embed"

// assets are the page's styles and scripts.
//
//go:embed assets
var assets embed.FS

// kinds are the types of what is served as it is, by the ending of its name.
var kinds = map[string]string{".css": "text/css", ".js": "text/javascript"}

// periods are what a chart shows, by name, with the words for it.
var periods = []period{
	{"15m", "15 minutes", 15 * 60},
	{"1h", "1 hour", 60 * 60},
	{"24h", "24 hours", 24 * 60 * 60},
	{"7d", "7 days", 7 * 24 * 60 * 60},
}
