package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// errInputEnded is the cause with which an ephemeral server stops.
var errInputEnded = errors.New("standard input was closed, which stops a server with --ephemeral")

// RunEphemeral serves until the reader reaches its end or ctx ends, with a temporary
// data directory that it deletes. If the reader is a pipe from another process, such
// as a test, the server stops when that process ends, even if it is killed.
func RunEphemeral(ctx context.Context, c *Config, until io.Reader) error {
	dir, err := os.MkdirTemp("", "understudy-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	c.DataDir = dir
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		io.Copy(io.Discard, until) // an error ends it as well
		stop(errInputEnded)
	}()
	return Run(ctx, c)
}

// errParentEnded is the cause with which a server stops when its parent has ended.
var errParentEnded = errors.New("the process that started the server has ended, which stops a server with --exit-with-parent")

// parent is the process that started this one. It is read as early as possible: on Unix,
// a process whose parent has ended gets another one.
var parent = os.Getppid()

// parentPollInterval is the interval at which the server checks, on Unix, whether it still has
// the same parent. Linux's parent-death signal cannot replace this check: it is sent when the
// thread that started the server ends, which in Python, Java and Go can be long before the
// process ends.
const parentPollInterval = 200 * time.Millisecond

// untilParentEnds returns a context that ends with ctx or, if the flag is set, with the
// parent of this process.
func (c *Config) untilParentEnds(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.ExitWithParent {
		go func() {
			awaitEndOfParent(ctx)
			cancel(errParentEnded)
		}()
	}
	return ctx, func() { cancel(nil) }
}

// awaitEndOfParent returns when the parent has ended or, on Unix, when ctx has.
func awaitEndOfParent(ctx context.Context) {
	if runtime.GOOS == "windows" { // where the parent's ID never changes, and a process can wait for any other
		if process, err := os.FindProcess(parent); err == nil {
			process.Wait()
		}
		return
	}
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-time.After(parentPollInterval):
		}
	}
}
