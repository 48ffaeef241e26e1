#!/bin/sh
# Runs the behaviour cases against this checkout: hack/behaviour.sh FOLDER [ARGUMENT OF run.py]...
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
suite=${1:-}
[ -f "$suite/run.py" ] || {
  echo 'behaviour: give the folder of the behaviour cases: make behaviour BEHAVIOUR=/path/to/behaviour' >&2
  exit 2
}
shift

cache=${ISOLINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/isoline}
# What the system does not have is in the cache (hack/fetch-binaries.sh).
PATH=$PATH:$cache/bin
# The experimental channel serves the older versions too, which the cases use. Each file is named twice: the runner looks at the
# conditions of a CRD as soon as it has applied the last, and cannot bear that the API server has written none yet.
for round in first second; do
  for file in "$root"/config/crd/*.yaml "$cache"/gateway-api/experimental/gateway.*.yaml; do
    case $file in *_vap_*) continue ;; esac
    set -- --crds "$file" "$@"
  done
done
exec python3 "$suite/run.py" --controller "$root/bin/isoline" "$@"
