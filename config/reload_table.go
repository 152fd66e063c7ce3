package config

// reloadable are the keys that a running process takes over.
var reloadable = []string{"log.level", "auth.keys", "catalog.dir", "prices.margins"}
