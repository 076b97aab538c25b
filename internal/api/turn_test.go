package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLargeBodiesAreParsedInTurns checks that a large JSON body waits while another one is parsed,
// and that a small one does not.
func TestLargeBodiesAreParsedInTurns(t *testing.T) {
	pass, err := Turn(t.Context(), largeBody+1)
	if err != nil {
		t.Fatal(err)
	}
	read := func(length int) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		body := `{"a":"` + strings.Repeat("a", length-8) + `"}`
		_, err := Read(httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body)), MessageErrors)
		return err
	}
	if err := read(largeBody); err != nil {
		t.Errorf("small body: %v", err)
	}
	if err := read(largeBody + 1); !errors.Is(err, context.Canceled) {
		t.Errorf("large body: got error %v, want it to wait until its context ends", err)
	}
	pass()
	if err := read(largeBody + 1); err != nil {
		t.Errorf("large body in its turn: %v", err)
	}
}

// TestBodiesHaveFewValues checks the maximum number of values of a body, and of fields of a form.
func TestBodiesHaveFewValues(t *testing.T) {
	for count, want := range map[int]int{jsonBounds.Values: 0, jsonBounds.Values + 1: http.StatusBadRequest} {
		body := `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", count-1), ",") + `]}`
		_, err := Read(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), MessageErrors)
		status := 0
		if refusal := new(Error); errors.As(err, &refusal) {
			status = refusal.Status
		}
		if status != want {
			t.Errorf("%d values: %v", count, err)
		}
	}
	for count, want := range map[int]error{MaxFields: nil, MaxFields + 1: ErrManyFields} {
		form, err := ParseForm(strings.TrimSuffix(strings.Repeat("a=%41&", count), "&"))
		if !errors.Is(err, want) || len(form["a"]) != MaxFields {
			t.Errorf("%d fields: %d, %v", count, len(form["a"]), err)
		}
	}
}
