//go:build tools

// Package tools makes etcd a dependency of this module, so that go.sum covers what it is built of.
package tools

import _ "go.etcd.io/etcd/server/v3"
