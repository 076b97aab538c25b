package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// runEphemeral serves as long as from stays open: whoever holds the other end,
// such as a test, ends the server by ending, in whatever way. The data lie in a
// temporary directory that goes with the server.
func (c *Config) runEphemeral(ctx context.Context, from io.Reader) error {
	dir, err := os.MkdirTemp("", "understudy-")
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	c.DataDir = dir
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, from) // an end is an end, in order or not
		stop()
	}()
	return c.run(ctx)
}
