#!/bin/sh
# Installs the npm packages that package-lock.json names, among them the Node that everything runs on, unless they are
# installed already. Run with any npm; the machine's own Node may be older than the project's.
set -eu
cd "$(dirname "$0")/.."

lock=$(cksum package-lock.json)
stamp=node_modules/.isoline-installed
[ "$(cat "$stamp" 2>/dev/null)" = "$lock" ] && exit 0

command -v npm >/dev/null 2>&1 || {
  echo "install: npm is not on PATH; install Node.js (any version that is maintained; it brings npm)" >&2
  exit 1
}
echo "installing npm packages, about half a minute the first time ..." >&2
# Packages say which Node they want; they get the project's, not the one that npm runs on: hence no warnings.
npm ci --no-audit --no-fund --loglevel=error
node_modules/.bin/node --version >/dev/null 2>&1 || {
  echo "install: node_modules/.bin/node does not run: the package 'node' could not set up Node for $(uname -sm)" >&2
  exit 1
}
printf '%s\n' "$lock" >"$stamp"
