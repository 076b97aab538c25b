package server_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUnknownRoutesAreRefused checks that a method or path that the API does not
// have is refused with or without credentials: the route is checked first.
func TestUnknownRoutesAreRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: unknown route: 403, of webhooks 404")
	s := servertest.New(t)
	acme := s.Acme()
	const id = servertest.Absent
	s.Unchanged(t, func() {
		for _, line := range []string{
			"GET /", "POST /", "GET /nothing", "GET /auth", "POST /auth/token/", "GET /universal/v2",
			"GET /universal/v2/universal-submit/file-upload-url", "PUT /universal/v2/universal-submit/file-upload-url",
			"POST /universal/v2/universal-submit/file-upload-url/", "POST /universal/v2/universal-submit",
			"GET /universal/v2/universal-submit/file/" + id, "POST /universal/v2/universal-submit/file/", "POST /universal/v2/universal-submit/file/" + id + "/x",
			"POST /universal/v2/universal-submit/status/" + id, "DELETE /universal/v2/universal-submit/status/" + id, "HEAD /universal/v2/universal-submit/status/" + id,
			"GET /universal/v2/universal-submit/status/", "GET /universal/v2/universal-submit/status", "GET /universal/v9/universal-submit/status/" + id,
			"GET /Universal/v2/universal-submit/status/" + id, "GET //universal/v2/universal-submit/status/" + id,
			"POST /data/v2/acme-us-c0001/" + id, "GET /data/v2/acme-us-c0001", "GET /data/v9/acme-us-c0001/" + id, "DELETE /data/v1/acme-us-c0001/" + id,
			"GET /company/v1/company_submit", "PUT /company/v1/company_submit", "POST /company/v9/company_submit", "PATCH /company/v1/company_submit",
			"PUT /hooks", "GET /hooks/", "GET /hooks/" + id + "/x", "HEAD /hooks", "DELETE /hooks/" + id + "/requests",
			"GET /file-transfer/upload-file", "POST /file-transfer/upload-file?data=x", "PUT /file-transfer", "OPTIONS /company/v1/company_submit",
		} {
			t.Run(line, func(t *testing.T) {
				status, want := http.StatusForbidden, servertest.UnknownRoute
				if strings.Contains(line, " /hooks") {
					status, want = http.StatusNotFound, `{"status":404,"error":"Not Found"}`
				}
				if strings.HasPrefix(line, "HEAD ") {
					want = ""
				}
				s.Do(servertest.Call{Line: line}).Want(t, status, want)
				s.Do(servertest.Call{Line: line, Token: acme.Token, Key: acme.Key}).Want(t, status, want)
			})
		}
	})
}
