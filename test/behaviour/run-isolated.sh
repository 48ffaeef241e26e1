#!/bin/sh
# Runs a command in network and mount namespaces of its own: all ports are free there, the addresses of the backends exist, and names
# are asked of a name server of the tests. Needs root, or user namespaces.
#
# Usage: test/behaviour/run-isolated.sh COMMAND [ARGUMENT]...
set -eu
if [ "${1:-}" != --inside ]; then
  for flags in '-n -m' '-r -n -m'; do
    # shellcheck disable=SC2086 # the flags are words
    unshare $flags true 2>/dev/null && exec unshare $flags "$0" --inside "$@"
  done
  echo 'behaviour tests need a network namespace: run them as root, or where user namespaces are allowed' >&2
  exit 1
fi
shift
command -v ip >/dev/null || {
  echo 'behaviour tests need the program ip (package iproute2)' >&2
  exit 1
}
ip link set lo up
for address in 192.0.2.10 192.0.2.11 192.0.2.12 192.0.2.13 192.0.2.21 192.0.2.22; do ip address add "$address/32" dev lo; done
ip address add 2001:db8::10/128 dev lo nodad 2>/dev/null || true # not where IPv6 is off
resolv=$(mktemp)
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$resolv"
mount --bind "$resolv" "$(realpath /etc/resolv.conf)"
rm -f "$resolv"
exec "$@"
