package docs_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// projects returns the files of a small project in each language, and a line that its tests print when they pass.
func projects(t *testing.T) map[string]project {
	repository := absolute(t, "..")
	return map[string]project{
		"python": {map[string]string{"test_submission.py": firstBlock(t, "../clients/python/README.md", "python")}, "1 passed"},
		"javascript": {map[string]string{
			"package.json":        `{"name":"checkout","scripts":{"test":"node --test --test-reporter=tap"}}`,
			"package-lock.json":   `{"name":"checkout","lockfileVersion":3,"packages":{"":{"name":"checkout"}}}`,
			"submission.test.mjs": firstBlock(t, "../clients/js/README.md", "js"),
		}, "# pass 1"},
		"java": {map[string]string{"src/test/java/SubmissionTest.java": firstBlock(t, "../clients/java/README.md", "java")}, "1 tests successful"},
		"go": {map[string]string{
			"go.mod":           "module checkout\n\ngo 1.26.0\n\nrequire understudy.example v0.0.0\n\nreplace understudy.example => " + repository + "\n",
			"go.sum":           content(t, "../go.sum"),
			"checkout_test.go": expiry.ReplaceAllString(content(t, "../examples/testing/understudy_test.go"), ""),
		}, "ok  \tcheckout"},
		"shell": {map[string]string{"tests/understudy_test.sh": content(t, "../examples/testing/understudy_test.sh")}, "ok token_expires"},
	}
}

type project struct {
	files  map[string]string
	passed string
}

// expiry matches the example test in Go whose call with an expired token is a finding.
var expiry = regexp.MustCompile(`(?s)// A token expires.*?\n}\n`)

// sourcesOfTests are the directories of the clients that releases do not contain.
var sourcesOfTests = []string{"test", "tests", "typescript"}

// TestCIScripts runs the scripts of all recipes, in the small project of each language. A script that several
// recipes have runs once. The release is a local directory, and what would change this machine or use the network is
// replaced.
func TestCIScripts(t *testing.T) {
	if os.Getenv("SLOW_TESTS") == "" {
		t.Skip("make slow-tests runs this test")
	}
	t.Parallel()
	linuxOnly(t)
	running := servertest.Start(t, "DATA_DIR="+servertest.DataDir(t))
	release := "UNDERSTUDY_RELEASE=file://" + fakeRelease(t)
	for language, p := range projects(t) {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			path, dir := programs(t, language), writeProject(t, p)
			var done []string
			for _, form := range ciForms {
				env := []string{
					path, release, "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "npm_config_offline=true", "npm_config_audit=false",
					"GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1",
				}
				if form == "service" {
					env = append(env, "UNDERSTUDY_CONTROL_URL="+running.ControlURL)
				}
				out := runRecipes(t, dir, env, language, form, &done)
				if !strings.Contains(out, p.passed) {
					t.Errorf("%s: the output does not contain %q:\n%s", form, p.passed, out)
				}
				if form == "exec" && !strings.Contains(content(t, filepath.Join(dir, "findings.xml")), "<testsuite ") {
					t.Error("findings.xml is not a test suite")
				}
			}
		})
	}
}

// runRecipes runs the scripts of all CI systems for a language that are not done yet, and returns their output.
func runRecipes(t *testing.T, dir string, env []string, language, form string, done *[]string) string {
	t.Helper()
	var output strings.Builder
	for _, system := range slices.Sorted(maps.Keys(ciSystems)) {
		r := ciSystems[system](t, form)
		var scripts []string
		for _, script := range append(slices.Clone(r.before), r.jobs[language]...) {
			if !slices.Contains(*done, script) {
				scripts = append(scripts, script)
			}
		}
		*done = append(*done, scripts...)
		if len(scripts) == 0 {
			continue
		}
		out, err := ciCommand(t, dir, env, strings.Join(scripts, "\n")).CombinedOutput()
		output.Write(out)
		if err != nil {
			t.Fatalf("%s: %v:\n%s\n%s", form, err, strings.Join(scripts, "\n"), out)
		}
	}
	return output.String()
}

func ciCommand(t *testing.T, dir string, env []string, script string) *exec.Cmd {
	command := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	command.Dir = dir
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "UNDERSTUDY_") })
	command.Env = append(command.Env, env...)
	return command
}

// TestCIInstallRefusesOtherFiles checks that the installation ends with an error if a file of the release is not the
// one that SHA256SUMS lists, or is not listed.
func TestCIInstallRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for name, change := range map[string]struct{ file, pattern, replacement string }{
		"changed":  {"Understudy.java", "package", "package "},
		"unlisted": {"SHA256SUMS", "(?m)^.*Understudy.java\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release := fakeRelease(t)
			path := filepath.Join(release, change.file)
			changed := regexp.MustCompile(change.pattern).ReplaceAllString(content(t, path), change.replacement)
			write(t, path, changed, 0o644)
			dir := writeProject(t, project{})
			out, err := ciCommand(t, dir, []string{"UNDERSTUDY_RELEASE=file://" + release}, "ci/install-understudy.sh").CombinedOutput()
			if err == nil {
				t.Errorf("no error:\n%s", out)
			}
			if _, err := os.Stat(filepath.Join(dir, ".understudy", "understudy")); err == nil {
				t.Error("the program is installed")
			}
		})
	}
}

// writeProject writes a project with the script that installs Understudy, and returns its directory.
func writeProject(t *testing.T, p project) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range p.files {
		write(t, filepath.Join(dir, name), text, 0o755)
	}
	write(t, filepath.Join(dir, "ci", "install-understudy.sh"), content(t, recipes+"install-understudy.sh"), 0o755)
	return dir
}

// fakeRelease returns a directory with the files of a release that the recipes download. The program in it starts the
// server's binary.
func fakeRelease(t *testing.T) string {
	t.Helper()
	binary, err := servertest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(t.TempDir(), "understudy")
	write(t, program, fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", binary), 0o755)
	version := regexp.MustCompile(`(?m)^version=(.+)$`).FindStringSubmatch(content(t, recipes+"install-understudy.sh"))[1]
	name := "understudy_" + version
	var sums strings.Builder
	for file, source := range map[string]string{
		name + "_linux_amd64.tar.gz": filepath.Dir(program), name + "_python.tar.gz": "../clients/python", name + "_js.tgz": "../clients/js", "Understudy.java": "",
	} {
		text := content(t, "../clients/java/Understudy.java")
		if source != "" {
			text = archive(t, strings.TrimSuffix(strings.TrimSuffix(file, ".tar.gz"), ".tgz"), source)
		}
		write(t, filepath.Join(dir, file), text, 0o644)
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(text)), file)
	}
	write(t, filepath.Join(dir, "SHA256SUMS"), sums.String(), 0o644)
	return dir
}

// archive returns a compressed archive with the files of a directory, in one directory with this name.
func archive(t *testing.T, name, source string) string {
	t.Helper()
	var buffer bytes.Buffer
	compressed := gzip.NewWriter(&buffer)
	out := tar.NewWriter(compressed)
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && slices.Contains(sourcesOfTests, entry.Name()) {
			return fs.SkipDir
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		text := content(t, path)
		header := &tar.Header{Name: name + "/" + filepath.ToSlash(relative), Mode: 0o755, Size: int64(len(text))}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		_, err = out.Write([]byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	compressed.Close()
	return buffer.String()
}

// firstBlock returns the first code block of a page in a language.
func firstBlock(t *testing.T, page, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(content(t, page))
	if found == nil {
		t.Fatalf("%s has no code in %s", page, language)
	}
	return found[1]
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
