package main

import (
	"context"
	"os"

	"understudy.example/internal/server"
)

// serveCommand is `server`, with or without the command's name.
type serveCommand struct {
	server.Config `embed:""`
}

// Run serves until ctx ends or, with --ephemeral, standard input does.
func (c *serveCommand) Run(ctx context.Context) error {
	if c.Ephemeral {
		return server.RunEphemeral(ctx, &c.Config, os.Stdin)
	}
	return server.Run(ctx, &c.Config)
}
