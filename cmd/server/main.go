// Command server is Understudy: an emulator of a commercial-insurance submission
// service. Without arguments it serves on a private PostgreSQL.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"understudy.example/internal/launch"
	"understudy.example/internal/version"
	"understudy.example/internal/worker"
)

// commands are the commands of the binary.
type commands struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve       serveCommand       `cmd:"" default:"withargs" help:"Serve the emulated API. This is the default command: its name can be omitted."`
	Conform     conformCommand     `cmd:"" help:"Compare a deployment with the contract and print the differences."`
	Healthcheck healthcheckCommand `cmd:"" help:"Exit with 0 if the server is ready. For containers."`
	Doctor      doctorCommand      `cmd:"" help:"Check whether the server can start on this machine, and which layers of the worker sandbox are active."`
	GC          gcCommand          `cmd:"" name:"gc" help:"Delete files from the object store that no submission refers to."`
	RotateKey   rotateKeyCommand   `cmd:"" help:"Change the master key that protects stored secrets."`
	Seed        seedCommand        `cmd:"" help:"Check a seed for --seed, or print its JSON schema."`
	Extract     extractCommand     `cmd:"" help:"Extract documents and print the values with their places."`
	Exec        execCommand        `cmd:"" help:"Start a server and run a command with it, such as a test suite."`
	Submit      submitCommand      `cmd:"" help:"Submit documents to a running server and print the results."`
	Event       eventCommand       `cmd:"" help:"Publish an event to the webhook subscriptions of a tenant."`
	Listen      listenCommand      `cmd:"" help:"Print the webhooks of a tenant and forward them to a URL."`
	Tenants     tenantsCommand     `cmd:"" help:"List the tenants of a running server."`
	Export      exportCommand      `cmd:"" help:"Write the configurations of a running server's tenants to a file."`
	Import      importCommand      `cmd:"" help:"Import the configurations of tenants into a running server."`
}

func main() {
	worker.Main() // worker processes run this binary too
	launch.Main() // and the supervisor of exec
	// Writing to a closed pipe must not end the server.
	signal.Ignore(syscall.SIGPIPE)
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it; otherwise it means that the terminal was closed
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	// hideSecrets overwrites the original strings, so everything else uses copies.
	original := os.Args
	os.Args = make([]string, len(original))
	for i, argument := range original {
		os.Args[i] = strings.Clone(argument)
	}
	// Commands print their results and log only warnings; the server has a logger of
	// its own.
	slog.SetLogLoggerLevel(slog.LevelWarn)

	var given commands
	parser := kong.Must(&given,
		kong.Name(program),
		kong.Description("Understudy, an emulator of a commercial-insurance submission service.\n\nA flag can also be set by the environment variable that is named beside it."),
		kong.Help(printHelp),
		kong.Vars{"version": version.String()},
		kong.BindTo(ctx, (*context.Context)(nil)))
	hideSecrets(parser.Model.Node, original)
	arguments := os.Args[1:]
	if len(arguments) > 0 && arguments[0] == "help" { // as in `server help submit`
		arguments = append(arguments[1:], "--help")
	}
	command, err := parser.Parse(arguments)
	parser.FatalIfErrorf(err)
	if err := command.Run(); err != nil {
		var exit exitError
		if errors.As(err, &exit) {
			os.Exit(exit.code)
		}
		printError(err)
		os.Exit(1)
	}
}

// program is the name with which this program was run: understudy if it was installed from a
// release, and server if it was built from this directory.
var program = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")

// printError prints an error, without the name of the system call with which a file failed.
func printError(err error) {
	message := err.Error()
	if failed := new(fs.PathError); errors.As(err, &failed) {
		message = strings.Replace(message, failed.Error(), fmt.Sprintf("%s: %v", failed.Path, failed.Err), 1)
	}
	fmt.Fprintf(stderr, "%s: %s\n", program, message)
}

// quantity returns a number with its noun, such as 1 tenant or 2 tenants.
func quantity(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// exitError is the error of a command that has already printed all messages. It contains the exit
// code of the process.
type exitError struct{ code int }

func (e exitError) Error() string { return "exit code " + strconv.Itoa(e.code) }

// printHelp prints the help of a command. The help of the program includes the flags
// of the default command.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || ctx.Selected() != nil {
		return err
	}
	serve, err := kong.Trace(ctx.Kong, []string{"serve"})
	if err != nil {
		return err
	}
	fmt.Fprintln(ctx.Stdout)
	return kong.DefaultHelpPrinter(options, serve)
}
