// Pins the version of the Gateway API whose CRDs tests install; fetched by hack/fetch-binaries.sh.
module isoline/hack/gateway-api

go 1.26.0

require sigs.k8s.io/gateway-api v1.6.1
