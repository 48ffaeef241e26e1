#!/bin/sh
# Runs a command in a network namespace of its own, in which every address of 198.18.0.0/15, the block for benchmarks (RFC 2544), is
# local: an API server takes no endpoints on loopback, and these never leave the machine. All ports are free there. Needs root, or user
# namespaces.
#
# Usage: test/bench/run-isolated.sh COMMAND [ARGUMENT]...
set -eu
if [ "${1:-}" != --inside ]; then
  for flags in '-n' '-r -n'; do
    # shellcheck disable=SC2086 # the flags are words
    unshare $flags true 2>/dev/null && exec unshare $flags "$0" --inside "$@"
  done
  echo 'benchmarks need a network namespace: run them as root, or where user namespaces are allowed' >&2
  exit 1
fi
shift
command -v ip >/dev/null || {
  echo 'benchmarks need the program ip (package iproute2)' >&2
  exit 1
}
ip link set lo up
ip route add local 198.18.0.0/15 dev lo
exec "$@"
