#!/usr/bin/env bash
# new.sh NAME: adds a provider from the templates in the folder of this script, and to the two lists of providers.
set -euo pipefail
cd "$(dirname "$0")/../../.."
name=${1:-}
[[ $name =~ ^[a-z]+$ ]] || { echo "usage: make new-provider NAME=acme (lower-case letters)" >&2; exit 2; }
adapter=adapters/providers/$name simulated=simulator/wire/$name
for folder in "$adapter" "$simulated"; do [ ! -e "$folder" ] || { echo "$folder exists" >&2; exit 1; }; done

render() { sed "s/acme/$name/g; s/Acme/${name^}/g" "adapters/providers/_new/$1" >"$2"; }
mkdir "$adapter" "$simulated"
render adapter.go "$adapter/$name.go"
render adapter_test.go "$adapter/${name}_test.go"
render simulated.go "$simulated/$name.go"
for folder in adapters/providers simulator/wire; do
	sed -i "s|^import (|&\n\t\"causeway/$folder/$name\"|; s|^}|\t$name.Descriptor,\n}|" "$folder/table.go"
done
gofmt -w {adapters/providers,simulator/wire}/{"$name",table.go} # sorts the imports
cat <<END
$name is a source of rates that reads nothing yet: go test ./$adapter fails. Next:
  write $adapter, its test with recorded responses, and $simulated
  add the venue to simulator/market/tables.go and the routes to config/catalog/pairs.yaml
  go test ./config -update, and go test ./adapters/providers -update
END
