package control_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// TestSettings checks that a change replaces each given setting as a whole and acts
// at once.
func TestSettings(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, settings: the default settings",
		"Chosen, control API, settings: rate_limit, for each API key")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	const defaults = `{"pacing":{"mode":"timed","scheduled":"0.5s","started":"1s","finished":"2s"},` +
		`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0,"webhooks":"send","id_seed":null,` +
		`"max_upload_bytes":0,"max_stored_bytes":0,"max_submissions":0}`
	tenant.Control("GET /settings", "").Want(t, http.StatusOK, defaults)
	tenant.Control("PATCH /settings", `{"pacing":{"mode":"timed","scheduled":"3s"},"webhooks":"collect","id_seed":null}`).Want(t, http.StatusOK)
	tenant.Control("PATCH /settings", `{"pacing":{"mode":"timed","started":"0s"},"rate_limit":0.5,"max_upload_bytes":9007199254740991}`).Want(t, http.StatusOK,
		`{"pacing":{"mode":"timed","scheduled":"0.5s","started":"0s","finished":"2s"},`+
			`"status_vocabulary":"processing","trailing_whitespace":false,"rate_limit":0.5,"webhooks":"collect","id_seed":null,`+
			`"max_upload_bytes":9007199254740991,"max_stored_bytes":0,"max_submissions":0}`)
	tenant.Control("PATCH /settings", `{"pacing":null,"rate_limit":null,"webhooks":null,"max_upload_bytes":null}`).Want(t, http.StatusOK, defaults)

	// One call in two seconds of the tenant's time.
	tenant.Announce("before.txt")
	tenant.Control("PATCH /settings", `{"rate_limit":0.5}`).Want(t, http.StatusOK)
	tenant.Announce("first.txt")
	refused := tenant.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).
		Want(t, http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
	if wait := refused.Header.Get("Retry-After"); wait != "2" {
		t.Errorf("Retry-After %q", wait)
	}
	s.Pass(1500 * time.Millisecond)
	refused = tenant.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"second.txt"}`).Want(t, http.StatusTooManyRequests)
	if wait := refused.Header.Get("Retry-After"); wait != "1" {
		t.Errorf("Retry-After %q", wait)
	}
	tenant.Advance("500ms")
	tenant.Announce("second.txt")
	tenant.Control("PATCH /settings", `{"rate_limit":3}`).Want(t, http.StatusOK)
	tenant.Advance("1m")
	for i := range 3 {
		tenant.Announce(fmt.Sprintf("%d.txt", i))
	}
	tenant.Do("POST /universal/v2/universal-submit/file-upload-url", `{"filename":"x"}`).Want(t, http.StatusTooManyRequests)
	// The API key is checked first, and another tenant has a limit of its own.
	s.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/x", Token: tenant.Token, Key: "wrong"}).Want(t, http.StatusForbidden)
	s.NewTenant(`{}`).Announce("own.txt")
}
