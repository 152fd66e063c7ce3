package config

// LoadCatalogFrom loads a catalog of the test's own.
var LoadCatalogFrom = loadCatalog
