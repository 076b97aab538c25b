//go:build !linux && !darwin

package server

import "math"

// maxOpenFiles returns how many files and sockets the process can open.
func maxOpenFiles() uint64 { return math.MaxUint64 }
