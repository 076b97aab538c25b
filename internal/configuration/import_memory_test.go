package configuration_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/server/servertest"
)

// inParts sends a body without a Content-Length.
func inParts(s *servertest.Server, tenant, body string) (status int, hint string) {
	request, err := http.NewRequest(http.MethodPut, s.ControlURL+"/tenants/"+tenant+"/configuration", io.MultiReader(strings.NewReader(body)))
	if err != nil {
		s.T.Error(err)
		return 0, ""
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Error(err)
		return 0, ""
	}
	response.Body.Close()
	return response.StatusCode, response.Header.Get(api.HintHeader)
}

// TestLargeImportsTakeTurns checks that a large import is refused while another one is in
// progress, that small imports do not wait, and that the memory of both is released.
func TestLargeImportsTakeTurns(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Budget = api.NewBodyBudget(64<<20, 16<<20, 10*time.Millisecond)
	})
	large := `{"version":1,"settings":{}` + strings.Repeat(" ", 1<<10) + `,"outcomes":[{"match":{"filename":"a"},"raw":true,"facts":{"company_name":"` + strings.Repeat("x", 100<<10) + `"}}]}`
	done, err := s.App.Imports.Take(t.Context(), len(large))
	if err != nil {
		t.Fatal(err)
	}
	if status, hint := inParts(s, "globex", large); status != http.StatusServiceUnavailable || !strings.Contains(hint, "too many large request bodies") {
		t.Errorf("large import: %d %q, want 503", status, hint)
	}
	if status, _ := inParts(s, "globex", `{"version":1}`); status != http.StatusOK {
		t.Errorf("small import: %d, want 200", status)
	}
	done()
	if status, _ := inParts(s, "globex", large); status != http.StatusOK {
		t.Errorf("large import after the other: %d, want 200", status)
	}
	servertest.Until(t, "the reserved memory is released", func() bool { return s.App.Bodies.Budget.Used() == 0 })
}

// TestImportOfUnknownLengthReservesMemory checks that an import without a Content-Length
// that does not end reserves all that one tenant may use.
func TestImportOfUnknownLengthReservesMemory(t *testing.T) {
	s := servertest.New(t, func(o *servertest.Options) {
		o.Bodies.Budget = api.NewBodyBudget(64<<20, 16<<20, 10*time.Millisecond)
	})
	reader, writer := io.Pipe()
	request, err := http.NewRequest(http.MethodPut, s.ControlURL+"/tenants/acme/configuration", reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	io.WriteString(writer, `{"version":1`+strings.Repeat(" ", api.SmallBody))
	servertest.Until(t, "memory is reserved", func() bool { return s.App.Bodies.Budget.Used() == 16<<20 })
	if other, hint := inParts(s, "acme", `{"version":1`+strings.Repeat(" ", api.SmallBody)+"}"); other != http.StatusServiceUnavailable {
		t.Errorf("another import of the tenant: %d %q, want 503", other, hint)
	}
	if other, hint := inParts(s, "globex", `{"version":1`+strings.Repeat(" ", api.SmallBody)+"}"); other != http.StatusOK {
		t.Errorf("import of another tenant: %d %q, want 200", other, hint)
	}
	io.WriteString(writer, "}")
	writer.Close()
	if got := <-status; got != http.StatusOK {
		t.Errorf("import: %d, want 200", got)
	}
	servertest.Until(t, "the reserved memory is released", func() bool { return s.App.Bodies.Budget.Used() == 0 })
}
