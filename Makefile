# The two commands of the README are `make run` and `make test`; the rest is for developers.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

# Tools run at pinned versions; the checksum database verifies them. The build cache keeps the binaries.
LINT       := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER := go run github.com/goreleaser/goreleaser/v2@v2.15.4
OASDIFF    := go run github.com/oasdiff/oasdiff@v1.35.0

# Test packages, the slowest first so that no processor is idle at the end. The race detector waits for a second at
# exit by default. Collecting garbage less often saves a quarter of the processor time of the tests and a fifth of the
# compiler's. Two packages and one of black-box tests at a time keep two processors busy; three and two took a quarter
# more processor time in all. Go repeats the tests of a package only after a change of what it is built from; the
# black-box tests run a binary of their own, which Go does not see, and always run. Compiling without information for
# debuggers takes a fifth less processor time. The checks of unsafe pointers that come with the race detector took a
# tenth of a start of the sandbox; nothing here converts any.
# Without the race detector: libraries that only compute with the values that one caller gives them, translated C that
# has its memory for itself, and generated code that only joins strings. They took a fifth of the processor time of the
# tests, or the longest to compile. A library with a sync.Map, like encoding/json, must not be here: the linker may
# choose its copy of that generic code for everyone, and the detector then reports races that are none.
UNINSTRUMENTED := compress/flate html internal/strconv math/big net/textproto net/url regexp regexp/syntax strconv \
  strings text/template/... unicode/... github.com/decred/dcrd/dcrec/secp256k1/v4 \
  github.com/go-json-experiment/json/internal/jsonwire github.com/go-json-experiment/json/jsontext \
  github.com/google/go-cmp/... github.com/klauspost/compress/... github.com/shopspring/decimal \
  github.com/yuin/goldmark/... go.yaml.in/yaml/v3 golang.org/x/crypto/sha3 golang.org/x/net/html/... \
  golang.org/x/text/... modernc.org/libc/... modernc.org/sqlite/lib
# The 17,000 methods that join the words of Redis commands. Without inlining them a binary is 1.6 MB smaller.
COMMANDS := github.com/redis/rueidis/internal/cmds
race unit e2e: export GOFLAGS := -trimpath '-gcflags=all=-dwarf=false -d=checkptr=0' \
  $(foreach package,$(UNINSTRUMENTED),'-gcflags=$(package)=-dwarf=false -race=false') \
  '-gcflags=$(COMMANDS)=-dwarf=false -race=false -l'
race unit e2e build vet: export GOGC := 400
RACE    := GORACE=atexit_sleep_ms=10 go test -race -vet=off -timeout 40m
E2E     := ./test ./test/contract
UNIT     = $(addprefix ./,cmd/causeway/app simulator/wire cmd/causeway cmd/causeway/cli adapters/redis \
  core/recipients/guard config test/institutions) $$(go list ./... | grep -v '^causeway/test')
COUNTED  = $$(grep -rl '^func TestAllocations(' --include=*_test.go adapters cmd config core ports simulator | xargs -n 1 dirname | sort -u | sed 's,^,./,')

.PHONY: help run build test race compiler check deps lint vet unit e2e allocations differential tidy fmt dist dist-check deploy-check helm-check deploy-deps cross bench soak fuzz golden api-changes architectures memory clients deposits new-provider kills scale

# What go build compiles a binary without information for debuggers with: -s and -w leave it out of the binary anyway.
COMPILE := -trimpath -gcflags=all=-dwarf=false '-gcflags=$(COMMANDS)=-dwarf=false -l'

run: build ## build and serve the sandbox on 127.0.0.1:8080; CAUSEWAY_LISTEN=:8081 make run chooses another address
	./bin/causeway serve

# go build -v names the packages that it compiles: none or a few unless the build cache is empty.
build: export CGO_ENABLED := 0
build: ## build bin/causeway
	@test -e bin/causeway || echo 'Building bin/causeway. The first build downloads and compiles all dependencies, which takes' \
	  'one to two minutes on two idle processors; later ones take seconds.'
	@total=$$(go list -deps ./cmd/causeway | wc -l); \
	  go build -v $(COMPILE) -ldflags '$(LDFLAGS)' -o bin/causeway ./cmd/causeway 2>&1 | awk -v total="$$total" \
	  '/^[a-z0-9][^ ]*$$/ {if (++n % 100 == 0) printf "compiled %d of %d packages\n", n, total; fflush(); next} {print}'

test: compiler ## install what the tests need and run every test with the race detector
	@$(MAKE) --no-print-directory -j 2 deps race
	@$(MAKE) --no-print-directory -j 2 unit e2e

race: ## build the binary that the black-box tests run
	@go build -race -ldflags='-s -w' -o bin/test/race/causeway ./cmd/causeway # as test/driver does

# Without the race detector everything is compiled as by make build, once.
check deploy-check: export CGO_ENABLED := 0
check deploy-check: export GOFLAGS := $(COMPILE)
check: SOAK := 15s
check: tidy vet allocations memory soak clients deposits differential ## what CI runs beyond make test

INSTALL = apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

compiler: ## install a C compiler, which the race detector needs (Debian)
	@command -v gcc >/dev/null || { echo 'installing gcc'; $(INSTALL) gcc libc6-dev >/dev/null; }

# What the tests need beside Go: a C compiler for the race detector, a browser for the pages, and the servers that state is kept in.
deps: compiler ## install what the tests need (Debian)
	@missing=(); \
	command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell); \
	command -v npm >/dev/null || missing+=(npm); \
	command -v php >/dev/null || missing+=(php-cli); \
	command -v redis-server >/dev/null || missing+=(redis-server); \
	command -v systemd-analyze >/dev/null || missing+=(systemd); \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql); \
	if [ $${#missing[@]} -gt 0 ]; then \
	  echo "installing $${missing[*]}"; $(INSTALL) "$${missing[@]}" >/dev/null; \
	fi
	@test/tools.sh axe newman

tidy: ## check that go.mod is tidy
	go mod tidy -diff

vet: ## go vet, also of the tests against real APIs
	go vet ./...
	go vet -tags live ./adapters/providers

lint: ## static analysis; the first run compiles golangci-lint
	$(LINT) run ./...

unit: ## every package but the black-box tests
	$(RACE) -p 2 $(UNIT)

allocations: ## what a request may allocate
	go test -run Allocations -count=1 $(COUNTED)

e2e: ## black-box tests against the built binary, the browser's included
	$(RACE) -p 1 -count=1 -parallel 4 $(E2E) # these tests wait for processes much of the time

memory: ## resident memory under attack, of a binary without the race detector
	go test -count=1 ./test/memory

deposits: ## assignment of 10,000 deposit addresses by three processes at once, and deposits in 200 worlds and on 50 random chains
	go test -count=1 ./adapters/storage -run TestDeposits_ConcurrentProcesses -users 10000
	go test -count=1 ./cmd/causeway/app -run TestTransactions_ParallelWorlds -worlds 200
	go test -count=1 ./simulator/wire -run TestDeposits_EndAsTheChain -chains 50

KILLS ?= 50
kills: ## kill the process that reads deposits KILLS times while the network changes
	go test -count=1 -v -timeout 1h ./test -run TestTransactions_Killed -kills $(KILLS)

# Debian's Python has no packages of other sources, so the client runs on Debian's httpx and pydantic by default.
clients: export PYTHON ?= /usr/bin/python3
clients: ## generate the types of the clients, and test the clients against a sandbox
	@$(PYTHON) -c 'import httpx, pydantic' 2>/dev/null || { $(INSTALL) python3-httpx python3-pydantic >/dev/null; }
	cd clients/typescript && npm ci --no-audit --no-fund --loglevel=error
	cd test/clients/receiver && npm ci --no-audit --no-fund --loglevel=error
	clients/generate.sh
	git diff --exit-code -- clients
	cd clients/go && go mod tidy -diff && go vet ./... && go test -count=1 ./...
	go test -count=1 ./test/clients

# The fingerprint of everything that a sandbox returns must not depend on the processor.
architectures: ## compare the simulator's results between architectures; needs a processor with AVX2
	@for target in GOAMD64=v1 GOAMD64=v3 GOARCH=386; do \
	  env CGO_ENABLED=0 "$$target" go test -count=1 -v -run '^Test(Service)?Fingerprint$$' ./simulator/wire | grep -o 'fingerprint [0-9a-f]*$$' || exit 1; \
	done | sort | uniq -c | awk '{print} $$1 != 3 {exit 1}'

differential: ## addresses against other people's libraries, in a module of its own
	cd test/differential && go mod tidy -diff && go vet ./... && go test -count=1 ./...

# The version of a tag, v1.2.3 without its v; between tags and without one, a version that sorts by time.
DIST_VERSION = $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//; s/-/+/' | grep . || \
	git log -1 --date=format:%Y%m%d%H%M%S --format=0.0.0-%cd.%h)

dist: ## build archives, Debian packages, bills of materials and checksums for all platforms into dist/
	VERSION='$(DIST_VERSION)' COMMIT_TIMESTAMP=$$(git log -1 --format=%ct) COMMIT_DATE=$$(git log -1 --format=%cI) \
	  $(GORELEASER) release --snapshot --clean

dist-check: dist deploy-deps ## build and check dist/
	config/deploy/check-dist.sh

deploy-check: build deploy-deps ## check the deployment files, apart from the Helm chart
	config/deploy/check.sh

helm-check: deploy-deps ## check the Helm chart; the first run compiles helm
	config/deploy/check-helm.sh

deploy-deps: ## install what the deployment checks need (Debian)
	@missing=(); \
	for tool in jq shellcheck unzip yamllint; do command -v $$tool >/dev/null || missing+=($$tool); done; \
	if [ $${#missing[@]} -gt 0 ]; then $(INSTALL) "$${missing[@]}" >/dev/null; fi
	@test/tools.sh promtool

cross: ## compile for all platforms of a release without packaging
	@for target in linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
	  echo "$$target"; CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build -o /dev/null ./cmd/causeway; \
	done

help: ## list all targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-14s %s\n", $$1, $$2}' Makefile

new-provider: ## scaffold a provider: make new-provider NAME=acme
	@adapters/providers/_new/new.sh '$(NAME)'

fmt: ## format the Go files
	$(LINT) fmt ./...

bench: build ## the table of performance, each figure beside its reference of the same run
	go run ./test/bench

SIZES ?= 1000,30000,300000
scale: ## what operations cost in databases of SIZES rows, with their plans, and in worlds of the sandbox; takes five to ten minutes
	go test -run '^$$' -bench Scale -benchtime 1x -timeout 3h ./adapters/storage -sizes $(SIZES) -plans
	go test -run '^$$' -bench Verify -benchtime 1x -timeout 1h ./cmd/causeway/cli -addresses $(lastword $(subst $(comma), ,$(SIZES)))
	go test -run '^$$' -bench Sandbox -benchtime 50x ./cmd/causeway/app
comma := ,

SOAK ?= 30m
soak: ## mixed traffic for SOAK while 30 % of the responses of providers are faulty
	go test -count=1 -v -timeout 2h ./test/soak -for $(SOAK)

golden: build ## write everything that is generated; read the difference of the OpenAPI document as a client would
	go test ./adapters/httpapi ./config ./adapters/chains ./adapters/providers ./simulator/catalog ./simulator/control ./test/institutions -update
	go test ./cmd/causeway/app -run TestEveryMetricIsDocumented -update
	go test ./test -run 'TestGuides|TestResponseExamples' -update
	cd clients/typescript && npm ci --no-audit --no-fund --loglevel=error
	clients/generate.sh
	sed -i '/^[^#]/d' config/deploy/compose.env
	bin/causeway upstream env --base http://upstream:9200 | sed "s/^export //; s/'//g" >>config/deploy/compose.env

# Not part of make check: a breaking change may be wanted, and the first run compiles oasdiff for half a minute.
SINCE ?= $(shell git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || echo main)
OPENAPI = adapters/httpapi/testdata/openapi.json
api-changes: ## list changes of the API since the last release, or SINCE=revision; fails if one breaks clients
	CGO_ENABLED=0 $(OASDIFF) changelog --fail-on ERR '$(SINCE):$(OPENAPI)' $(OPENAPI)

FUZZTIME ?= 30s
fuzz: ## every fuzz target for FUZZTIME
	@for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package; \
	  done; \
	done
