package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// stage is a stage of the Dockerfile, and instruction one of its instructions, without
// continued lines.
type (
	stage struct {
		name, base   string
		instructions []instruction
	}
	instruction struct{ name, rest string }
)

// dockerfile returns the stages of the Dockerfile.
func dockerfile(t *testing.T) (stages []stage) {
	t.Helper()
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "" || strings.HasPrefix(name, "#"):
		case name == "FROM":
			_, words := options(rest)
			if len(words) != 3 || words[1] != "AS" {
				t.Fatalf("FROM %s: the stage has no name", rest)
			}
			stages = append(stages, stage{name: words[2], base: words[0]})
		default:
			last := &stages[len(stages)-1]
			last.instructions = append(last.instructions, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return stages
}

// findStage returns the stage with the name, or the last one if the name is "".
func findStage(t *testing.T, name string) stage {
	t.Helper()
	stages := dockerfile(t)
	if name == "" {
		return stages[len(stages)-1]
	}
	i := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("the Dockerfile has no stage %q", name)
	}
	return stages[i]
}

// options splits the rest of an instruction into its options, such as --from=build, and
// its other words.
func options(rest string) (options map[string]string, words []string) {
	options = map[string]string{}
	words = strings.Fields(rest)
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		name, value, _ := strings.Cut(strings.TrimPrefix(words[0], "--"), "=")
		options[name] = value
		words = words[1:]
	}
	return options, words
}

// all returns what follows each instruction of that name.
func (s stage) all(name string) (rests []string) {
	for _, i := range s.instructions {
		if i.name == name {
			rests = append(rests, i.rest)
		}
	}
	return rests
}

// variables returns the variables of the instructions ENV or ARG.
func (s stage) variables(name string) map[string]string {
	variables := map[string]string{}
	for _, rest := range s.all(name) {
		for word := range strings.FieldsSeq(rest) {
			variable, value, _ := strings.Cut(word, "=")
			variables[variable] = value
		}
	}
	return variables
}

// command returns the command of an instruction such as ENTRYPOINT in the form of JSON.
func (s stage) command(t *testing.T, name string) (command []string) {
	t.Helper()
	rests := s.all(name)
	if len(rests) != 1 {
		t.Fatalf("%s: %d instructions %s, want 1", s.name, len(rests), name)
	}
	if err := json.Unmarshal([]byte(rests[0][max(0, strings.Index(rests[0], "[")):]), &command); err != nil {
		t.Fatalf("%s: %s %s: %v", s.name, name, rests[0], err)
	}
	return command
}

// builtFiles returns the paths of the files that the stage "build" copies from the
// repository, except those that .dockerignore excludes.
func builtFiles(t *testing.T) (files []string) {
	t.Helper()
	ignored, err := os.Open("../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	defer ignored.Close()
	patterns, err := ignorefile.ReadAll(ignored)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	for _, copied := range findStage(t, "build").all("COPY") {
		_, words := options(copied)
		for _, source := range words[:len(words)-1] {
			err := filepath.WalkDir(filepath.Join("..", source), func(file string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				name, err := filepath.Rel("..", file)
				if err != nil {
					return err
				}
				excluded, err := matcher.MatchesOrParentMatches(name)
				if err == nil && !excluded {
					files = append(files, filepath.ToSlash(name))
				}
				return err
			})
			if err != nil {
				t.Fatalf("COPY %s: %v", copied, err)
			}
		}
	}
	slices.Sort(files)
	return files
}

// TestImageIsBuiltFromItsSources checks that the image is built from the files that the
// server consists of, and from no others: an edit of a page or of a test needs no new
// build.
func TestImageIsBuiltFromItsSources(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.CommandContext(t.Context(), "go", "-C", root, "list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles,OtherFiles,IgnoredOtherFiles,EmbedFiles", "./cmd/server")
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	var failure bytes.Buffer
	list.Stderr = &failure
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, failure.String())
	}
	want := []string{"go.mod", "go.sum"}
	packages := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			Dir                                                                string
			Module                                                             struct{ Main bool }
			GoFiles, IgnoredGoFiles, OtherFiles, IgnoredOtherFiles, EmbedFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !p.Module.Main {
			continue
		}
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.OtherFiles, p.IgnoredOtherFiles, p.EmbedFiles) {
			if !strings.HasSuffix(file, "_test.go") {
				want = append(want, path.Join(filepath.ToSlash(dir), file))
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, builtFiles(t)); diff != "" {
		t.Errorf("files of the image's build (- the server consists of, + Dockerfile and .dockerignore): add directories to the Dockerfile and to .dockerignore, or exclude files there:\n%s", diff)
	}
}

// TestDockerfileTargets checks what both images promise: an ordinary user, data in a
// volume, a health check, and that the server gets the signal that stops it.
func TestDockerfileTargets(t *testing.T) {
	t.Parallel()
	server, standalone := findStage(t, "server"), findStage(t, "standalone")
	if last := findStage(t, ""); last.name != standalone.name {
		t.Errorf("the stage %s is built by default, want %s", last.name, standalone.name)
	}
	for _, name := range []string{"USER", "ENV", "EXPOSE", "VOLUME", "STOPSIGNAL", "ENTRYPOINT"} {
		if diff := cmp.Diff(server.all(name), standalone.all(name)); diff != "" {
			t.Errorf("%s differs (- server, + standalone):\n%s", name, diff)
		}
	}
	for _, target := range []stage{server, standalone} {
		if user := target.all("USER"); !slices.Equal(user, []string{"65532:65532"}) {
			t.Errorf("%s runs as %q", target.name, user)
		}
		if signal := target.all("STOPSIGNAL"); !slices.Equal(signal, []string{"SIGTERM"}) {
			t.Errorf("%s is stopped by %q", target.name, signal)
		}
		entrypoint, healthcheck := target.command(t, "ENTRYPOINT"), target.command(t, "HEALTHCHECK")
		if !slices.Equal(healthcheck, append(entrypoint, "healthcheck")) {
			t.Errorf("%s: the health check is %q, and the server is %q", target.name, healthcheck, entrypoint)
		}
		environment := target.variables("ENV")
		checkServerVariables(t, environment)
		if volume := target.all("VOLUME"); !slices.Equal(volume, []string{environment["DATA_DIR"]}) {
			t.Errorf("%s: the volumes are %q, and the data is in %s", target.name, volume, environment["DATA_DIR"])
		}
		if directory := "--from=build --chown=65532:65532 /src/out/empty /data"; !slices.Contains(target.all("COPY"), directory) {
			t.Errorf("%s has no /data that its user can write", target.name)
		}
	}
}
