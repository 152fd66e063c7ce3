# Turns the output of `go version -m -json` into a CycloneDX 1.6 document. Checksums are from go.sum: the SHA-256 of
# the list of a module's files, in base64.
def purl: "pkg:golang/\(.Path)@\(.Version | @uri)";
def library: {type: "library", name: .Path, version: .Version, purl: purl, "bom-ref": purl};

(.GoVersion | ltrimstr("go")) as $go
| (.Settings | map({(.Key): .Value}) | add) as $build
| ([{Path: "std", Version: $go}] + (.Deps // []) | map(.Replace // .)) as $modules
| {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: $build["vcs.time"],
      component: {
        type: "application", name: .Main.Path, version: .Main.Version, "bom-ref": .Main.Path,
        properties: [$build | to_entries[] | select(.value and (.key | test("^(GO|CGO_ENABLED|vcs|-trimpath)"))) | {name: "go:\(.key)", value: .value}]
      }
    },
    components: [$modules[] | library + if .Sum then {properties: [{name: "go:sum", value: .Sum}]} else {} end],
    dependencies: [{ref: .Main.Path, dependsOn: [$modules[] | purl]}]
  }
