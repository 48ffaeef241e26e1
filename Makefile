# Isoline's tasks. `make` lists them.
#
# Everything but `install` runs on the Node that npm installs into the checkout; the machine's own may be older.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:

NODE := node_modules/.bin/node --disable-warning=ExperimentalWarning
# For tools whose first line asks for `node`.
RUN := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
TEST := $(NODE) hack/test.ts

# Arguments for jest, such as ARGS='-t "a part of a name"'.
ARGS ?=
jest_arguments = $(if $(ARGS),-- $(ARGS))

## Set up

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^## / { printf "\n%s\n", substr($$0, 4) } /^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: ## Install the npm packages, Node 26 among them
	@hack/install.sh

.PHONY: envoy-api
envoy-api: install ## Make pkg/envoy-api, the TypeScript of the Envoy API
	@$(NODE) hack/generate-envoy-api.ts

.PHONY: envoy-descriptors
envoy-descriptors: ## Take the descriptors of the Envoy API from its Go module (after a change in hack/envoy-api)
	cd hack/envoy-api && go run . | gzip -9n >envoy.binpb.gz.new && mv envoy.binpb.gz.new envoy.binpb.gz

.PHONY: binaries
binaries: ## Fetch or build Envoy, etcd, kube-apiserver and the Gateway API CRDs, where they are missing
	@hack/fetch-binaries.sh

## Run

.PHONY: demo
demo: envoy-api ## Serve config/samples/demo with a real Envoy; edit the files and see
	@hack/fetch-binaries.sh envoy
	@$(NODE) hack/demo.ts

## Generate

.PHONY: generate
generate: envoy-api ## Make everything that is generated: pkg/envoy-api, config/crd, the Gateway API's schemas
	@hack/fetch-binaries.sh gateway-api-crds
	@$(NODE) hack/generate-gateway-schemas.ts
	@$(NODE) hack/generate-crds.ts

.PHONY: verify-generated
verify-generated: envoy-api ## Fail if a generated file that is committed is not up to date
	@hack/verify-generated.sh

.PHONY: golden
golden: envoy-api ## Write the expected outputs of the golden tests anew, and delete those without a case
	@GOLDEN=write $(TEST) unit -- pkg/pipeline

.PHONY: format
format: install ## Format the sources and sort their imports
	$(RUN) biome check --write --linter-enabled=false

## Check

.PHONY: check
check: types lint deps dead-code field-coverage verify-generated ## All checks but the tests

.PHONY: field-coverage
field-coverage: envoy-api ## Check that every field of an HTTPProxy stands in a golden and in a behaviour case
	@$(NODE) hack/field-coverage.ts

.PHONY: types
types: envoy-api ## Check the types
	$(RUN) tsc -p tsconfig.json

.PHONY: lint
lint: install ## Lint, and check the format
	$(RUN) biome check --max-diagnostics=200

.PHONY: deps
deps: envoy-api ## Check the import rules
	$(RUN) depcruise --config .dependency-cruiser.cjs cmd pkg hack test

.PHONY: dead-code
dead-code: envoy-api ## Find unused files, exports and packages
	$(RUN) knip

## Test

.PHONY: test
test: envoy-api binaries ## All tests but the slow ones of test-faults, with what they need installed
	@$(TEST) $(jest_arguments)

.PHONY: test-unit
test-unit: envoy-api ## The tests beside the code; a golden or a table a rule
	@hack/fetch-binaries.sh gateway-api-crds
	@$(TEST) unit $(jest_arguments)

.PHONY: test-property
test-property: envoy-api ## Random edits: the incremental build gives what a build from scratch gives
	@$(TEST) property $(jest_arguments)

.PHONY: test-feature
test-feature: envoy-api ## Objects in, a gRPC client out
	@hack/fetch-binaries.sh gateway-api-crds
	@$(TEST) feature $(jest_arguments)

.PHONY: test-envoy
test-envoy: envoy-api ## What Isoline makes, through a real Envoy
	@hack/fetch-binaries.sh envoy gateway-api-crds
	@$(TEST) envoy $(jest_arguments)

.PHONY: test-apiserver
test-apiserver: envoy-api ## Against a real etcd and kube-apiserver
	@hack/fetch-binaries.sh etcd kube-apiserver gateway-api-crds
	@$(TEST) apiserver $(jest_arguments)

.PHONY: test-behaviour
test-behaviour: envoy-api binaries ## The behaviour cases of test/behaviour; CASES=tls/ for some of them
	@CASES='$(CASES)' $(TEST) behaviour $(jest_arguments)

.PHONY: test-faults
test-faults: envoy-api binaries ## What breaks in real clusters: the part that `make test` runs, and the long one
	@$(TEST) faults slow-faults $(jest_arguments)

## Measure against others' suites (each needs the path of its suite)

.PHONY: behaviour
behaviour: envoy-api binaries ## The behaviour cases: make behaviour BEHAVIOUR=/path/to/behaviour [ONLY='tls/*']
	@hack/behaviour.sh '$(BEHAVIOUR)' $(if $(ONLY),--only '$(ONLY)')

.PHONY: conformance
conformance: envoy-api ## The Gateway API suite: make conformance CLUSTER=/path/to/cluster [CLASS=isoline] [OUT=.cache/conformance]
	@[ -x '$(CLUSTER)/conformance.sh' ] || { echo 'conformance: set CLUSTER to the folder of the test cluster' >&2; exit 2; }
	@'$(CLUSTER)/conformance.sh' --gateway-class $(or $(CLASS),isoline) --version v1.6.1 --out $(or $(OUT),.cache/conformance)

## Measure (docs/benchmarks.md)

bench = test/bench/run-isolated.sh $(NODE) test/bench/bench.ts $(if $(SCENARIOS),--scenarios $(SCENARIOS)) $(if $(KIND),--kind $(KIND)) \
	$(if $(N),--objects $(N)) $(if $(CHANGES),--changes $(CHANGES)) $(if $(ROUNDS),--rounds $(ROUNDS))

.PHONY: bench
bench: envoy-api binaries ## Speed and cost: make bench [SCENARIOS=start,propagation,churn,storm,idle] [N=1000] [KIND=httpproxy] [CHANGES=50]
	@$(bench)

.PHONY: bench-compare
bench-compare: envoy-api binaries ## Beside another controller: make bench-compare DRIVER=test/bench/drivers/contour.json [ROUNDS=2] [as bench]
	@[ -r '$(DRIVER)' ] || { echo 'bench-compare: set DRIVER to a file that says how to start the other controller' >&2; exit 2; }
	@$(bench) --against '$(DRIVER)'

.PHONY: soak
soak: envoy-api binaries ## Endpoint churn for half an hour, then silence; memory, CPU, writes: make soak [N=5000] [RATE=10] [MINUTES=30] [REST=3]
	@$(NODE) test/bench/soak.ts --objects $(or $(N),5000) --rate $(or $(RATE),10) --minutes $(or $(MINUTES),30) --rest $(or $(REST),3)

.PHONY: handover
handover: envoy-api binaries ## What statuses wait for when the leader is killed or stopped: make handover [ROUNDS=5]
	@$(NODE) test/bench/handover.ts --rounds $(or $(ROUNDS),5)

## Ship

.PHONY: fuzz
fuzz: envoy-api binaries ## Random HTTPProxies through the whole path and a real Envoy: make fuzz [OBJECTS=100000]
	@$(NODE) test/bench/fuzz.ts --objects $(or $(OBJECTS),10000)

.PHONY: dist
dist: envoy-api ## Bundle the program into dist/isoline.mjs
	$(RUN) esbuild cmd/isoline/main.ts --bundle --platform=node --target=node26 --format=esm --outfile=dist/isoline.mjs \
		--banner:js="import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

.PHONY: clean
clean: ## Remove what was made in the checkout (not the cache folder of the binaries)
	rm -rf dist coverage .cache pkg/envoy-api
