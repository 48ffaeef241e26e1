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
for file in "$root"/config/crd/*.yaml "$cache"/gateway-api/standard/gateway.*.yaml; do
  case $file in */kustomization.yaml | *_vap_*) continue ;; esac
  set -- --crds "$file" "$@"
done
exec python3 "$suite/run.py" --controller "$root/bin/isoline" "$@"
