package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/launch"
	"understudy.example/internal/seed"
)

// execCommand is `server exec`.
type execCommand struct {
	FailOnFindings bool     `help:"Exit with 3 if the command succeeds, but its calls have findings."`
	JUnit          string   `name:"junit" type:"path" placeholder:"FILE" help:"Also write the findings to this file as JUnit XML."`
	ServerFlag     []string `sep:"none" placeholder:"FLAG=VALUE" help:"A flag of the server, such as hints=off. Can be repeated."`
	Command        []string `arg:"" optional:"" passthrough:"" help:"The command and its arguments."`
}

// Help describes the command.
func (execCommand) Help() string {
	return `Starts a server on free ports, with a temporary data directory, runs the command, and stops the server. For example:

  ` + program + ` exec -- npm test

Flags of exec come before the command. The command finds the server in the environment variables UNDERSTUDY_API_URL and UNDERSTUDY_CONTROL_URL. UNDERSTUDY_TENANT, UNDERSTUDY_CLIENT_ID, UNDERSTUDY_CLIENT_SECRET, UNDERSTUDY_API_KEY, UNDERSTUDY_COMPANY_PACKAGE_ID and UNDERSTUDY_LOCATION_PACKAGE_ID describe the first demo tenant or, with --server-flag seed=FILE, the first tenant of the seed. UNDERSTUDY_KEEP_TENANTS=1 tells the test clients not to delete their tenants, so that the findings about them can be printed.

When the command has ended, its findings are printed on standard error: the mistakes in the calls of every tenant. The exit code is that of the command, or 128 plus the signal number if a signal ended it. It is 127 if the command does not exist, 126 if it cannot be started, and 1 if the server cannot be started or exits early.

The signals INT, TERM, HUP and QUIT are passed on to the command. If this process is killed, the server and its PostgreSQL stop, their data is deleted, and the command ends too: on Linux with all processes that it has started, on macOS, without a terminal, with those in its process group.`
}

// startTimeout limits the start of the server.
const startTimeout = 2 * time.Minute

// Run runs the command.
func (c *execCommand) Run(ctx context.Context) error {
	if len(c.Command) > 0 && c.Command[0] == "--" {
		c.Command = c.Command[1:]
	} else if len(c.Command) > 0 && strings.HasPrefix(c.Command[0], "-") {
		return fmt.Errorf("exec: unknown flag %s", c.Command[0])
	}
	if len(c.Command) == 0 {
		return errors.New("exec: no command: name it after --, as in: " + program + " exec -- npm test")
	}
	if runtime.GOOS == "windows" {
		return errors.New("exec: the server cannot start its own PostgreSQL on Windows: start a server with DATABASE_URL, set UNDERSTUDY_CONTROL_URL to the URL of its control listener, and run the command without exec")
	}
	path, err := exec.LookPath(c.Command[0])
	if err != nil {
		return cannotStart(err)
	}
	if err := clearReport(c.JUnit); err != nil {
		return err
	}
	client, err := c.firstClient()
	if err != nil {
		return err
	}
	server, err := c.startServer(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()

	control := controlFlags{ControlURL: server.Control}.control()
	added, err := variables(ctx, control, server.API, client)
	if err != nil {
		return err
	}
	command := &exec.Cmd{Path: path, Args: c.Command, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	command.Env = append(environmentWithout("UNDERSTUDY_CONTROL_TOKEN"), added...)
	code, err := launch.Run(command, server)
	if errors.Is(err, launch.ErrServerExited) {
		return fmt.Errorf("%w:\n%s", err, server.LastOutput())
	}
	if err != nil {
		return cannotStart(err)
	}
	// A signal that ended ctx was meant for the command. A frozen server does not respond.
	findingsCtx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), startTimeout, fmt.Errorf("timeout after %v", startTimeout))
	defer cancel()
	found, err := reportFindings(findingsCtx, control, c.JUnit)
	switch {
	case code != 0:
		if err != nil {
			printError(err)
		}
		return exitError{code}
	case err != nil:
		return err
	case found > 0 && c.FailOnFindings:
		return exitError{3}
	}
	return nil
}

// ownFlags are the flags of the server that exec sets, or depends on.
var ownFlags = []string{"listen", "control", "ephemeral", "exit-with-parent", "data-dir", "log-level"}

// firstClient returns the client of the first demo tenant or, if the server gets a seed, of
// the first tenant in it.
func (c *execCommand) firstClient() (auth.Demo, error) {
	demo := firstDemo()
	for _, flag := range c.ServerFlag {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch {
		case slices.Contains(ownFlags, name):
			return auth.Demo{}, fmt.Errorf("exec: the server's --%s cannot be changed, because exec depends on it", name)
		case name == "environment":
			demo = demo.In(value)
		}
		if name != "seed" {
			continue
		}
		f, err := seed.Read(value)
		if err != nil {
			return auth.Demo{}, err
		}
		if clients := f.Clients(); len(clients) > 0 {
			return clients[0], nil
		}
		return auth.Demo{}, fmt.Errorf("exec: the seed %s has no client: add one, because the command gets its credentials", value)
	}
	return demo, nil
}

// cannotStart prints why the command cannot be started, and returns the exit code that a
// shell would use.
func cannotStart(err error) error {
	printError(err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exitError{127}
	}
	return exitError{126}
}

func (c *execCommand) startServer(ctx context.Context) (*launch.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var flags []string
	for _, flag := range c.ServerFlag {
		flags = append(flags, "--"+strings.TrimLeft(flag, "-"))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("timeout after %v", startTimeout))
	defer cancel()
	return launch.Start(ctx, exec.Command(self, "serve"), flags...)
}

// environmentWithout returns the environment without this variable.
func environmentWithout(name string) (environment []string) {
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, name+"=") {
			environment = append(environment, variable)
		}
	}
	return environment
}

// variables returns the environment variables in which the command finds the server and
// the credentials of the client.
func variables(ctx context.Context, control controlAPI, apiURL string, demo auth.Demo) ([]string, error) {
	variables := []string{
		"UNDERSTUDY_API_URL=" + apiURL,
		"UNDERSTUDY_CONTROL_URL=" + control.URL,
		"UNDERSTUDY_KEEP_TENANTS=1",
		"UNDERSTUDY_TENANT=" + demo.Tenant,
		"UNDERSTUDY_CLIENT_ID=" + demo.ClientID,
		"UNDERSTUDY_CLIENT_SECRET=" + demo.ClientSecret,
		"UNDERSTUDY_API_KEY=" + demo.APIKey,
	}
	for _, kind := range []string{"company", "location"} {
		id, err := control.packageOf(ctx, demo.Tenant, kind)
		if err != nil {
			return nil, err
		}
		variables = append(variables, "UNDERSTUDY_"+strings.ToUpper(kind)+"_PACKAGE_ID="+id)
	}
	return variables, nil
}
