package data_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestRepeatedInquiryCostsOneStatement checks that an inquiry that was made before selects
// the package and the report's version only, and that a change of either, which another
// server can have made, changes the response.
func TestRepeatedInquiryCostsOneStatement(t *testing.T) {
	statements := &servertest.Statements{}
	s := servertest.New(t, statements.Record(t))
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	reportID := acme.Status(txID).Text(t, "c_report_id")
	s.Control("POST /tenants/acme/packages", `{"id":"acme-us-c0777","kind":"company","fields":["website"]}`).Want(t, http.StatusCreated)
	lines := []string{
		"GET /data/v1/acme-us-c0777/" + reportID,
		"GET /data/v2/acme-us-c0777/" + txID + "?idType=transaction",
		"GET /data/v3/acme-us-c0777/" + reportID,
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
		"GET /data/v5/acme-us-c0777/" + txID,
	}
	read := func() (bodies []string) {
		for _, line := range lines {
			bodies = append(bodies, acme.Do(line, "").Want(t, http.StatusOK).Body)
		}
		return bodies
	}
	first := read()
	statements.Take()
	for _, line := range lines {
		acme.Do(line, "").Want(t, http.StatusOK)
		taken := statements.Take()
		taken = slices.DeleteFunc(taken, func(sql string) bool { return strings.Contains(sql, "from clients") }) // cached for half a second
		if len(taken) != 1 {
			t.Errorf("%s runs %d statements, want 1: %q", line, len(taken), taken)
		}
	}

	s.ReplaceReport(txID, servertest.FullReport())
	before := read()
	for i, body := range before {
		if dataOf(body) == dataOf(first[i]) {
			t.Errorf("%s shows the old report: %s", lines[i], body)
		}
	}
	s.Control("DELETE /tenants/acme/packages/acme-us-c0777", "").Want(t, http.StatusNoContent)
	s.Control("POST /tenants/acme/packages", `{"id":"acme-us-c0777","kind":"company","fields":["phone_number"]}`).Want(t, http.StatusCreated)
	for i, body := range read() {
		if company := strings.Contains(lines[i], "c0777"); company == (dataOf(body) == dataOf(before[i])) {
			t.Errorf("%s after the package was replaced: %.300s", lines[i], body)
		}
	}
}

// dataOf returns the part of a response that does not differ from call to call.
func dataOf(body string) string {
	_, after, _ := strings.Cut(body, `"data":`)
	return after
}
