#!/bin/sh
# Makes the generated files that are committed anew and fails if one comes out different. The working tree stays as
# it was found.
set -eu
cd "$(dirname "$0")/.."

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R config/crd "$before/crd"
node_modules/.bin/node --disable-warning=ExperimentalWarning hack/generate-crds.ts
if ! diff -ru "$before/crd" config/crd; then
  rm -rf config/crd
  cp -R "$before/crd" config/crd
  echo 'verify-generated: config/crd is not up to date; run make generate and commit' >&2
  exit 1
fi
