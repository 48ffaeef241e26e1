#!/bin/sh
# Makes the generated files that are committed anew and fails if one comes out different. The working tree stays as
# it was found.
set -eu
cd "$(dirname "$0")/.."
generated='config/crd pkg/apis/gateway/schemas.gen.ts'

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
for path in $generated; do
  mkdir -p "$before/$(dirname "$path")"
  cp -R "$path" "$before/$path"
done

make --no-print-directory generate >/dev/null

stale=
for path in $generated; do
  diff -ru "$before/$path" "$path" || stale="$stale $path"
  rm -rf "$path"
  cp -R "$before/$path" "$path"
done
[ -z "$stale" ] || {
  echo "verify-generated: not up to date:$stale; run make generate and commit" >&2
  exit 1
}
