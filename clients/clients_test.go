// Package clients_test runs the tests of the clients in other languages, each with the tools of its language.
package clients_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// serverBinary builds the server once, in the directory of the test binary, which go test removes.
var serverBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(os.Args[0]), "understudy")
	out, err := exec.Command("go", "build", "-o", path, "understudy.example/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// binary returns the path of the server's binary.
func binary(t *testing.T) string {
	t.Helper()
	path, err := serverBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// countingBinary returns the path of a program that starts the server, and a function that returns how many times it
// has run.
func countingBinary(t *testing.T) (path string, starts func() int) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "starts")
	path = filepath.Join(t.TempDir(), "understudy")
	script := fmt.Sprintf("#!/bin/sh\necho started >> %q\nexec %q \"$@\"\n", log, binary(t))
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "started")
	}
}

// missing skips the test, or fails it if REQUIRE_CLIENTS is set.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("REQUIRE_CLIENTS") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// look returns the path of a program, or skips the test.
func look(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t, "%s is not installed", program)
	}
	return path
}

// command returns a command that runs in a directory with these environment variables, and with none that names a
// running server.
func command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Dir = dir
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "UNDERSTUDY_") })
	command.Env = append(command.Env, env...)
	return command
}

// run runs a command, which must succeed, and returns its output.
func run(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), dir, env, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// checkContains checks that the output of a command contains each text.
func checkContains(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("the output does not contain %q:\n%s", text, out)
		}
	}
}

// TestServerVariables compares the lists of the server's environment variables in the clients with those that
// server --help lists.
func TestServerVariables(t *testing.T) {
	t.Parallel()
	var want []string
	for _, match := range regexp.MustCompile(`\(\$([A-Z_]+)\)`).FindAllStringSubmatch(run(t, ".", nil, binary(t), "--help"), -1) {
		want = append(want, match[1])
	}
	slices.Sort(want)
	for _, file := range []string{"python/understudy/process.py", "js/lib/process.js", "java/Understudy.java"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list := regexp.MustCompile("(?s)SERVER_VARIABLES = .*?split").FindString(string(text))
		got := slices.DeleteFunc(regexp.MustCompile(`\b[A-Z][A-Z_]+\b`).FindAllString(list, -1), func(word string) bool { return word == "SERVER_VARIABLES" })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
}

// checkServerEnds runs a script that starts a server, prints the URL of its control listener and reads its standard
// input until that ends. It ends the script by itself or kills it, and checks that the server ends too.
func checkServerEnds(t *testing.T, dir string, env []string, args ...string) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprintf("kill=%t", kill), func(t *testing.T) {
			t.Parallel()
			script := command(t.Context(), dir, env, args...)
			script.Stderr = os.Stderr
			stdin, err := script.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			stdout, err := script.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := script.Start(); err != nil {
				t.Fatal(err)
			}
			var url string
			_, err = fmt.Fscanln(stdout, &url)
			if err == nil {
				err = livez(t.Context(), url)
			}
			if kill {
				script.Process.Kill()
			} else {
				stdin.Close()
			}
			script.Wait()
			if err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(30 * time.Second); livez(t.Context(), url) == nil; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the server still runs, 30 s after the process that started it has ended")
				}
			}
		})
	}
}

// livez returns an error unless a server responds at the URL.
func livez(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/livez", nil)
	if err != nil {
		return err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// codeBlocks returns the code blocks of a page in a language.
func codeBlocks(t *testing.T, page, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no code in %s", page, language)
	}
	return blocks
}
