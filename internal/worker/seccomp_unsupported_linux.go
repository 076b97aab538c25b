//go:build !amd64 && !arm64

package worker

import (
	"errors"
	"runtime"
)

// filterSystemCalls returns an error: the numbers of the system calls are known for
// other architectures only.
func filterSystemCalls() error {
	return errors.New("not supported on " + runtime.GOARCH)
}
