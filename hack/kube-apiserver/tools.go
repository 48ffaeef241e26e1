//go:build tools

// Package tools makes the API server a dependency of this module, so that go.sum covers what it is built of.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
