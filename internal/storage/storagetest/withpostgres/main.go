// Command withpostgres starts a Postgres for tests and runs a command that uses
// it, so that the tests of many packages share it:
//
//	go run ./internal/storage/storagetest/withpostgres go test ./...
//
// The command finds the URL of Postgres in TEST_DATABASE_URL.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"understudy.example/internal/storage/storagetest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	err := run(os.Args[1:])
	if exited := new(exec.ExitError); errors.As(err, &exited) {
		os.Exit(max(exited.ExitCode(), 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	url, stop, err := storagetest.StartPostgres(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(os.Environ(), "TEST_DATABASE_URL="+url)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command.Run()
}
