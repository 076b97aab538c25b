package server_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestUUIDsInPathsAreReadInEitherCase checks every id in a path: an id in upper case
// finds the same object, which the response shows in lower case, and another tenant's
// object stays unknown.
func TestUUIDsInPathsAreReadInEitherCase(t *testing.T) {
	servertest.Proves(t, "Chosen, order of checks: UUIDs in paths in either case")
	s := servertest.New(t)
	acme, globex := s.Acme(), s.Globex()
	txID, uploadURL := acme.Announce("letter.txt")
	acme.Upload(uploadURL, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
	upper := strings.ToUpper(txID)
	if got := acme.Trigger(upper).Want(t, http.StatusOK).Text(t, "tx_id"); got != txID {
		t.Errorf("the trigger shows %s, want %s", got, txID)
	}
	s.Settle()
	if got := acme.Status(upper).Want(t, http.StatusOK).Text(t, "tx_id"); got != txID {
		t.Errorf("the status shows %s, want %s", got, txID)
	}
	hook := acme.Subscribe("http://127.0.0.1:1/")
	s.Publish("acme", "a:b")
	request := strings.ToUpper(acme.HookRequests(hook)[0]["id"].(string))
	company := acme.Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK).Text(t, "tx_id")
	tenant, id, _ := strings.Cut(company, "-")
	upperHook := strings.ToUpper(hook)
	for line, want := range map[string]string{
		"GET /data/v2/acme-us-c0001/" + upper + "?idType=transaction":      txID,
		"GET /data/v2/acme-us-l0001/" + upper + "?idType=sov":              txID,
		"GET /data/v5/acme-us-c0001/" + upper:                              txID,
		"GET /data/v3/acme-us-c0001/" + tenant + "-" + strings.ToUpper(id): company,
		"GET /hooks/" + upperHook:                                          hook,
		"PUT /hooks/" + upperHook:                                          hook,
		"PATCH /hooks/" + upperHook:                                        hook,
		"GET /hooks/" + upperHook + "/requests":                            hook,
		"POST /hooks/" + hook + "/requests/" + request + "/redeliver":      hook,
		"DELETE /hooks/" + upperHook:                                       "",
	} {
		body := ""
		if strings.HasPrefix(line, "P") {
			body = "{}"
		}
		if got := globex.Do(strings.ReplaceAll(line, "/acme-us", "/globex-us"), body); got.Status != http.StatusNotFound {
			t.Errorf("%s of another tenant: got status %d", line, got.Status)
		}
		if strings.HasPrefix(line, "DELETE ") {
			continue
		}
		if got := acme.Do(line, body); got.Status/100 != 2 || !strings.Contains(got.Body, want) || strings.Contains(got.Body, id[:8]+"-"+strings.ToUpper(id)[9:]) {
			t.Errorf("%s: %d %s", line, got.Status, got.Body)
		}
	}
	acme.Do("DELETE /hooks/"+upperHook, "").Want(t, http.StatusNoContent)
	control := s.Tenant("acme")
	if got := control.Control("GET /transactions/"+upper, "").Want(t, http.StatusOK).Text(t, "tx_id"); got != txID {
		t.Errorf("the control API shows %s, want %s", got, txID)
	}
	if calls := control.Journal("tx_id=" + txID); len(calls) < 6 {
		t.Errorf("the journal has %d calls of the transaction", len(calls))
	}
}
