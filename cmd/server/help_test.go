package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// help returns the help of a command; "" is the program.
func help(t *testing.T, command string) string {
	t.Helper()
	arguments := append(strings.Fields(command), "--help")
	out, err := servertest.Command(t, arguments...).Output()
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return string(out)
}

func TestHelpListsEveryServerFlag(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "serve"} {
		text := help(t, command)
		for _, field := range reflect.VisibleFields(reflect.TypeFor[server.Config]()) {
			if field.Anonymous {
				continue
			}
			if name := field.Tag.Get("env"); name == "" || !strings.Contains(text, "$"+name) {
				t.Errorf("%s is not in the help of %q:\n%s", field.Name, command, text)
			}
		}
	}
	for _, command := range []string{"serve", "conform", "healthcheck", "doctor", "extract", "exec", "submit", "event", "listen", "tenants"} {
		if text := help(t, ""); !strings.Contains(text, "\n  "+command) {
			t.Errorf("command %s is not in the help:\n%s", command, text)
		}
	}
}

// TestHelpIsACommand compares `server help COMMAND` with `server COMMAND --help`.
func TestHelpIsACommand(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "submit"} {
		out, err := servertest.Command(t, append([]string{"help"}, strings.Fields(command)...)...).Output()
		if want := help(t, command); err != nil || string(out) != want {
			t.Errorf("%q: %v, output %s, want %s", command, err, out, want)
		}
	}
}

// TestCommandsAreDocumented compares the help with the table in docs/commands.md.
func TestCommandsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(help(t, ""), "\nCommands:\n")
	text, _, _ = strings.Cut(text, "\nUsage:")
	listed := regexp.MustCompile(`(?m)^  ([a-z-]+)`).FindAllStringSubmatch(text, -1)
	if len(listed) < 12 {
		t.Fatalf("%d commands in %s", len(listed), text)
	}
	for _, command := range listed {
		if !regexp.MustCompile("(?m)^\\| \\[?`server " + command[1] + "`").Match(page) {
			t.Errorf("%s is not in the table", command[1])
		}
	}
}

// TestHelpOfACommandListsItsOwnFlags checks that the help of a command has the
// flags of that command and not those of the server.
func TestHelpOfACommandListsItsOwnFlags(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"extract": "--json --score --explain --read-time --read-memory-bytes --read-memory-total-bytes",
		"conform": "--base-url --auth-url --hooks-url --client-id --client-secret --api-key --company-package --location-package " +
			"--limited-id --limited-secret --foreign-id --foreign-secret --foreign-key --only-stated --wait --junit",
		"healthcheck": "--listen --tls-cert",
		"exec":        "--fail-on-findings --junit --server-flag",
		"submit":      "--control-url --control-token --tenant --json --package --data-version --watch",
		"event":       "--control-url --control-token --tenant --data",
		"listen":      "--control-url --control-token --tenant --forward-to --events --secret",
		"tenants":     "--control-url --control-token --json",
	} {
		text := help(t, command)
		var flags []string
		for _, flag := range regexp.MustCompile(`(?m)^  (?:-\w, |    )(--[a-z-]+)`).FindAllStringSubmatch(text, -1) {
			flags = append(flags, flag[1])
		}
		if got := strings.Join(flags, " "); got != "--help --version "+want {
			t.Errorf("flags of %s: %s\nwant %s in\n%s", command, got, want, text)
		}
		if !strings.HasPrefix(text, "Usage: server "+command) {
			t.Errorf("help of %s:\n%s", command, text)
		}
	}
}

// TestHelpShowsTheNameOfTheProgram calls the program under another name.
func TestHelpShowsTheNameOfTheProgram(t *testing.T) {
	t.Parallel()
	command := servertest.Command(t, "exec", "--help")
	name := filepath.Join(t.TempDir(), "understudy")
	if err := os.Symlink(command.Path, name); err != nil {
		t.Fatal(err)
	}
	command.Path, command.Args[0] = name, name
	out, err := command.Output()
	if err != nil || !strings.HasPrefix(string(out), "Usage: understudy exec ") || !strings.Contains(string(out), "\n    understudy exec -- npm test\n") {
		t.Errorf("%v, output %s", err, out)
	}
}

func TestUnknownFlagIsNamed(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{{"--nonsense"}, {"extract", "--nonsense"}} {
		out, err := servertest.Command(t, arguments...).CombinedOutput()
		if _, failed := err.(*exec.ExitError); !failed || !strings.Contains(string(out), "--nonsense") {
			t.Errorf("%v: %v, output %s", arguments, err, out)
		}
	}
}
