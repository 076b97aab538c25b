// Package version reports the version of the running program.
package version

import (
	"runtime/debug"
	"sync"
)

// stamped is the version of a build that cannot see the repository's tags, such as one
// in a container: go build -ldflags "-X <this package>.stamped=v1.2.3".
var stamped string

// String returns the version of the program: its tag such as "v1.2.3", a pseudo-version
// with time and commit if it was built from another commit, or "devel" if the build
// recorded neither, as go run and go test do.
var String = sync.OnceValue(func() string {
	build, ok := debug.ReadBuildInfo()
	switch {
	case stamped != "":
		return stamped
	case ok && build.Main.Version != "" && build.Main.Version != "(devel)":
		return build.Main.Version
	}
	return "devel"
})
