package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// errInputEnded is the cause with which an ephemeral server stops.
var errInputEnded = errors.New("standard input has ended, and --ephemeral serves only until then")

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
