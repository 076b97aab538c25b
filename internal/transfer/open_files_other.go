//go:build !linux && !darwin

package transfer

import "math"

// MaxOpenFiles returns how many files and sockets the process can open.
func MaxOpenFiles() uint64 { return math.MaxUint64 }
