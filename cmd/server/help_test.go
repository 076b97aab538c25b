package main_test

import (
	"os/exec"
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
	for _, command := range []string{"serve", "conform", "healthcheck", "doctor", "extract"} {
		if text := help(t, ""); !strings.Contains(text, "\n  "+command) {
			t.Errorf("command %s is not in the help:\n%s", command, text)
		}
	}
}

// TestHelpOfACommandListsItsOwnFlags checks that the help of a command has the
// flags of that command and not those of the server.
func TestHelpOfACommandListsItsOwnFlags(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"extract": "--help --json --score --read-time --read-memory-bytes --read-memory-total-bytes",
		"conform": "--help --base-url --auth-url --hooks-url --client-id --client-secret --api-key --company-package --location-package " +
			"--limited-id --limited-secret --foreign-id --foreign-secret --foreign-key --only-stated --wait --junit",
		"healthcheck": "--help --listen --tls-cert",
	} {
		text := help(t, command)
		var flags []string
		for _, flag := range regexp.MustCompile(`(?m)^  (?:-\w, |    )(--[a-z-]+)`).FindAllStringSubmatch(text, -1) {
			flags = append(flags, flag[1])
		}
		if got := strings.Join(flags, " "); got != want {
			t.Errorf("flags of %s: %s\nwant %s in\n%s", command, got, want, text)
		}
		if !strings.HasPrefix(text, "Usage: server "+command) {
			t.Errorf("help of %s:\n%s", command, text)
		}
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
