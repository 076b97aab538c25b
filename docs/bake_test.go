package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bakeTarget is what the test needs of a target of docker-bake.json.
type bakeTarget struct {
	Inherits, Platforms, Tags []string
	Target                    string
	Args, Labels              map[string]string
}

// TestBakeFile checks docker-bake.json: it builds both targets of the Dockerfile for two
// architectures, with tags and labels of the version, and docs/releases.md sets its
// variables.
func TestBakeFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docker-bake.json")
	if err != nil {
		t.Fatal(err)
	}
	var bake struct {
		Variable map[string]struct{ Default string }
		Group    map[string]struct{ Targets []string }
		Target   map[string]bakeTarget
	}
	if err := json.Unmarshal(text, &bake); err != nil {
		t.Fatal(err)
	}
	releases, err := os.ReadFile("releases.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"IMAGE=", "VERSION=v1.2.3 ", "REVISION="} {
		name, _, _ := strings.Cut(command, "=")
		if _, found := bake.Variable[name]; !found || len(bake.Variable) != 3 {
			t.Errorf("the variables are %v, want %s among three", slices.Collect(maps.Keys(bake.Variable)), name)
		}
		if !strings.Contains(string(releases), command) {
			t.Errorf("releases.md does not set %s", command)
		}
	}
	expand := strings.NewReplacer("${IMAGE}", "understudy", "${VERSION}", "v1.2.3", "${REVISION}", "0123abc", "${timestamp()}", "2026-01-02T03:04:05Z",
		`${trimprefix(VERSION, "v")}`, "1.2.3",
		`${length(regexall("^v[0-9]+[.][0-9]+[.][0-9]+$", VERSION)) > 0 ? "${IMAGE}:latest" : ""}`, "understudy:latest")
	arguments := findStage(t, "build").variables("ARG")
	tags := map[string][]string{}
	for _, name := range bake.Group["default"].Targets {
		target := bake.Target[name]
		findStage(t, target.Target)
		platforms, labels := target.Platforms, maps.Clone(target.Labels)
		for _, inherited := range target.Inherits {
			platforms = append(platforms, bake.Target[inherited].Platforms...)
			maps.Copy(labels, bake.Target[inherited].Labels)
			for argument, value := range bake.Target[inherited].Args {
				if _, found := arguments[argument]; !found || expand.Replace(value) != "v1.2.3" {
					t.Errorf("%s: the Dockerfile has no ARG %s=%s", name, argument, value)
				}
			}
		}
		if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
			t.Errorf("%s: the platforms are %v, want %v", name, platforms, want)
		}
		for label, want := range map[string]string{
			"title": "Understudy", "description": labels["org.opencontainers.image.description"], "version": "1.2.3", "revision": "0123abc",
			"licenses": "Apache-2.0", "source": "https://understudy.example", "created": "2026-01-02T03:04:05Z",
		} {
			if got := expand.Replace(labels["org.opencontainers.image."+label]); got != want || got == "" {
				t.Errorf("%s: the label %s is %q, want %q", name, label, got, want)
			}
		}
		for _, tag := range target.Tags {
			tags[name] = append(tags[name], expand.Replace(tag))
		}
	}
	want := map[string][]string{"standalone": {"understudy:1.2.3", "understudy:latest"}, "server": {"understudy:1.2.3-server"}}
	if diff := cmp.Diff(want, tags); diff != "" {
		t.Errorf("tags (- want, + got):\n%s", diff)
	}
}
