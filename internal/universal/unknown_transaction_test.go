package universal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/server/servertest"
)

// TestUnknownTransactions checks that an id that no submission has, and any other
// spelling of the id of one, is refused in one way. TestTenancy in package server
// does so for the ids of other tenants.
func TestUnknownTransactions(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: unknown, malformed or foreign tx_id: 404")
	s := servertest.New(t)
	acme := s.Acme()
	own := acme.Submit("a.txt", servertest.Letter)
	ids := []string{
		servertest.Absent, uuid.Nil.String(),
		"x", "1", "null", "%20", "a%2Fb", "..%2F..", "%00", "%ff", "%FF", strings.Repeat("a", 4000), "acme-" + servertest.Absent,
		"{" + own + "}", "urn:uuid:" + own, strings.ReplaceAll(own, "-", ""), own + "%20", own + "x", own[:35],
	}
	for _, line := range []string{
		"POST /universal/v2/universal-submit/file/",
		"GET /universal/v2/universal-submit/status/",
	} {
		for _, id := range ids {
			call := servertest.Call{Line: line + id, Token: acme.Token, Key: acme.Key}
			s.Refused(t, call, http.StatusNotFound, servertest.TransactionNotFound)
		}
	}
}
