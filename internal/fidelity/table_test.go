package fidelity_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// TestPageIsCurrent checks that FIDELITY.md is what the table says. With -update it
// rewrites the page.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../FIDELITY.md"
	want := fidelity.All.Markdown()
	if *servertest.Update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("FIDELITY.md is out of date, -update rewrites it (- page, + table):\n%s", diff)
	}
}

// TestTableHasEveryOperationAndStatus checks that the table has the operations and
// status codes of the document, and no others, and that Find finds each by a path.
func TestTableHasEveryOperationAndStatus(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	var documented, listed []string
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				documented = append(documented, method+" "+path+" "+status)
			}
		}
	}
	for _, operation := range fidelity.All.Operations {
		method, pattern, _ := strings.Cut(operation.Line, " ")
		path := strings.NewReplacer("{", "", "}", "x").Replace(pattern)
		for _, response := range operation.Responses {
			listed = append(listed, operation.Line+" "+strconv.Itoa(response.Status))
			if found, ok := fidelity.Find(method, path, response.Status); !ok || found.Note != response.Note {
				t.Errorf("Find(%s, %s, %d) = %+v, %v", method, path, response.Status, found, ok)
			}
		}
	}
	slices.Sort(documented)
	slices.Sort(listed)
	if diff := cmp.Diff(documented, listed); diff != "" {
		t.Errorf("responses (- document, + table):\n%s", diff)
	}
}

// TestResponsesAreAtMostAsCertainAsTheirOperation checks that Find need not weaken
// any label of the table.
func TestResponsesAreAtMostAsCertainAsTheirOperation(t *testing.T) {
	t.Parallel()
	for _, operation := range fidelity.All.Operations {
		method, path, _ := strings.Cut(operation.Line, " ")
		for _, response := range operation.Responses {
			if found, _ := fidelity.Find(method, path, response.Status); found.Label != response.Label || found.Body != response.Body {
				t.Errorf("%s %d is %s and %s, but the operation %s", operation.Line, response.Status, response.Label, response.Body, operation.Label)
			}
		}
	}
}
