// Command server is Understudy: an emulator of a commercial-insurance
// submission service. Without arguments it serves on an embedded Postgres.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"understudy.example/internal/worker"
)

// commands are what the binary can be told to do. The flags stand above them,
// so that --help shows them all.
type commands struct {
	Config `group:"Flags of the server:"`

	Serve       serve        `cmd:"" default:"1" help:"Serve the API (the default)."`
	Conform     conformance  `cmd:"" help:"Compare a deployment with the contract: what agrees, what differs."`
	Healthcheck healthcheck  `cmd:"" help:"Ask a running server whether it is ready; exit 0 if so. For containers."`
	Extract     extractFiles `cmd:"" help:"Read documents and print what they state, and where."`
}

type serve struct{}

// Run serves until ctx ends, or standard input if that was asked for.
func (serve) Run(ctx context.Context, config *Config) error {
	if config.Ephemeral {
		return config.runEphemeral(ctx, os.Stdin)
	}
	return config.run(ctx)
}

func main() {
	worker.Main() // the processes that read documents are this binary too
	// A reader of our output that leaves must not end the server.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	var given commands
	command := kong.Parse(&given,
		kong.Name("server"),
		kong.Description("Understudy, an emulator of a commercial-insurance submission service.\n\nEvery flag can be set by the environment variable named beside it."),
		kong.Bind(&given.Config),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}
