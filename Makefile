# make check runs all checks that a change must pass. The tools' versions are in tools/go.mod.
TOOL = go tool -modfile=tools/go.mod

.PHONY: bench check format vet staticcheck deadcode cross fix tidy test restarts fuzz model hostile crash team soak build lint-api screenshots console-speed release slow-tests rename-module

check: format vet staticcheck deadcode cross fix tidy test

format:
	@unformatted=$$($(TOOL) gofumpt -l .); \
	if [ -n "$$unformatted" ]; then echo "run gofumpt -w on:"; echo "$$unformatted"; exit 1; fi

vet:
	go vet ./...

staticcheck:
	$(TOOL) staticcheck ./...

deadcode:
	@dead=$$($(TOOL) deadcode -test ./...); \
	if [ -n "$$dead" ]; then echo "$$dead"; exit 1; fi

# Type-checks all packages and their tests for the other systems of a release. deadcode is used instead of go vet
# because it does not compile the dependencies: it takes an eighth of the time.
cross:
	@go build -modfile=tools/go.mod -o bin/deadcode golang.org/x/tools/cmd/deadcode
	@for system in windows/amd64 darwin/arm64; do \
		GOOS=$${system%/*} GOARCH=$${system#*/} bin/deadcode -test ./... >/dev/null || { echo "does not compile for $$system"; exit 1; }; \
	done

fix:
	@diff=$$(go fix -diff ./... 2>&1); \
	if [ -n "$$diff" ]; then echo "$$diff"; exit 1; fi

tidy:
	go mod tidy -diff

# The packages in which most goroutines share memory. The tests of sandbox also run the code of the other packages.
# -short skips the tests that take too long with the race detector, and the tests of the server's binary, which is built
# without it.
# go test ./... runs all tests.
CONCURRENT = feed hooks/delivery journal transfer universal worker
test:
	go test -p 3 -vet=off -race -short -shuffle=on -timeout 40m $(CONCURRENT:%=./internal/%) ./sandbox

# Kills a server under load and restarts it, RESTARTS times, and prints how long the starts take.
RESTARTS ?= 100
restarts:
	go test ./internal/server -run '^TestRestartUnderLoad$$' -count=1 -v -restarts=$(RESTARTS)

# Lints the OpenAPI documents, and the API's as the server publishes it, with Redocly's recommended rules
# (redocly.yaml). Requires Node. TestDocumentsFollowTheLintRules checks the most important rules without it.
REDOCLY = npx --yes @redocly/cli@2.77.0
lint-api:
	go test ./internal/openapi -run '^TestPublishedDocumentIsValid$$' -count=1 -published="$(CURDIR)/bin/openapi.yaml"
	$(REDOCLY) lint

# Tests that compile the server in other ways, install packages, or start whole images and recipes.
slow-tests:
	SLOW_TESTS=1 go test ./release ./docs ./clients -timeout 30m -count=1 -v -run '^(TestReleaseIsReproducible|TestModuleIsInstalled|TestImage|TestCIScripts|TestJava.*|TestPython.*)$$'

# Runs each fuzz target in the directory FUZZ_IN and below for FUZZTIME, which is a duration such as 10m or a number of
# inputs such as 1000x.
FUZZTIME ?= 5s
FUZZ_IN ?= .
fuzz:
	@mkdir -p bin
	@for package in $$(grep -rl '^func Fuzz' --include='*_test.go' $(FUZZ_IN) | xargs -n 1 dirname | sort -u); do \
		go test -c -fuzz . -o bin/fuzz.test $$package || exit 1; \
		for target in $$(bin/fuzz.test -test.list '^Fuzz'); do \
			echo "$$package $$target"; \
			(cd $$package && "$(CURDIR)/bin/fuzz.test" -test.run '^$$' -test.fuzz "^$$target$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzcachedir "$$(go env GOCACHE)/fuzz/$$package") || exit 1; \
		done; \
	done

# Builds the files of a release in bin/release: see docs/releases.md.
release:
	@test "$$(git rev-parse --quiet --verify 'refs/tags/$(VERSION)^{commit}')" = "$$(git rev-parse HEAD)" || \
		{ echo "VERSION=$(VERSION) is not a tag of this commit: check out the tag first"; exit 1; }
	@git diff --quiet HEAD || { echo "the checkout has uncommitted changes: commit or remove them"; exit 1; }
	go run ./release --version=$(VERSION)

# Writes screenshots of all pages of the console, narrow and wide, light and dark, into bin/console.
screenshots:
	CONSOLE_SCREENSHOTS=1 go test ./internal/console -count=1

# Prints the time and the transferred bytes of each page of the console with 100,000 submissions and 10,000 calls, and
# holds 50 streams of live events.
console-speed:
	CONSOLE_SPEED=1 go test ./internal/console -run '^TestSpeed$$' -count=1 -v

# Compares random sequences of calls with a model of the contract. A failure prints the seed that repeats it.
CHECKS ?= 500
model:
	go test ./internal/server -run '^TestModel$$' -count=1 -timeout=0 -rapid.checks=$(CHECKS)

# Submits hostile documents of full size to a server, ten at a time, and prints the slowest ones, the latency of another
# client and the memory of the worker processes. Linux only. The tests include a short form.
hostile:
	HOSTILE_SCALE=1 go test ./internal/server -run '^TestHostileDocuments$$' -count=1 -v -timeout 1h

# Kills servers, databases and worker processes while clients work, and checks that nothing acknowledged is lost. Linux
# only. CRASH_SEED=<number> repeats the faults and calls of a run. The servers' logs are in bin/crash/_artifacts.
CRASH_KILLS ?= 500
crash:
	@mkdir -p bin/crash
	CRASH_KILLS=$(CRASH_KILLS) go test ./internal/server/crashtest -skip '^TestTeam' -count=1 -v -parallel 1 -timeout 3h -artifacts -outputdir "$(CURDIR)/bin/crash"

# Runs three servers behind HAProxy, and checks that they agree, and that nothing fails or is lost when servers are
# rolled, upgraded, killed or frozen while clients work. Linux only. TEAM_ROUNDS=<number> repeats the faults of each test.
# The servers' logs are in bin/team/_artifacts.
TEAM_ROUNDS ?= 1
team:
	@mkdir -p bin/team
	TEAM_ROUNDS=$(TEAM_ROUNDS) go test ./internal/server/crashtest -run '^TestTeam' -count=1 -v -parallel 1 -timeout 1h -artifacts -outputdir "$(CURDIR)/bin/team"

# Measures the rows of docs/performance.md: about ten minutes. ONLY=status measures one row; WRITE=1 writes the results to
# that page. WireMock, Prism and stripe-mock are measured too if they are in PATH. Linux only, with PostgreSQL installed.
bench:
	cd bench && go run ./table $(if $(ONLY),-only $(ONLY)) $(if $(WRITE),-write ../docs/performance.md)

# Makes 30 calls a second of all kinds for SOAK_TIME, deletes what is older than some seconds meanwhile, and compares
# memory, descriptors, goroutines, tables and files of the last third with the middle third. Linux only.
SOAK_TIME ?= 1h
soak:
	SOAK_TIME=$(SOAK_TIME) go test ./internal/server -run '^TestSoak$$' -count=1 -v -timeout 0

# Replaces the module path, which is a reserved domain name that no host serves. To publish a fork, or to serve the
# module from a private proxy: make rename-module MODULE=git.example.com/team/understudy
rename-module:
	@test -n "$(MODULE)" || { echo "usage: make rename-module MODULE=<module path>"; exit 1; }
	@old=$$(go list -m) && git grep -lF "$$old" | xargs sed -i.bak "s#$$old#$(MODULE)#g" && find . -name '*.bak' -delete

build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/server ./cmd/server
