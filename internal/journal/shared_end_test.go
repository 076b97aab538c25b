package journal_test

import (
	"net/http"
	"slices"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestSharedEndsAreStoredOnce checks that the journal lists the whole responses of inquiries, and
// stores the data that they have in common only once in each batch.
func TestSharedEndsAreStoredOnce(t *testing.T) {
	s := servertest.New(t)
	tenant, acme := s.Tenant("acme"), s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	var bodies []string
	for _, line := range []string{
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction",
		"GET /data/v2/acme-us-l0001/" + txID + "?idType=sov",
		"GET /data/v2/acme-us-c0001/" + txID + "?idType=transaction&note=" + s.Demo(0).APIKey, // masked, so it is stored as a whole
	} {
		bodies = append(bodies, acme.Do(line, "").Want(t, http.StatusOK).Body)
	}
	var recorded []string
	for _, call := range tenant.Journal("route=/data/v2/{dp_id}/{tx_id}") {
		recorded = append(recorded, call.Response.Body)
	}
	slices.Reverse(recorded)
	if !slices.Equal(recorded, bodies) {
		t.Errorf("the journal has the responses\n%q\nwant\n%q", recorded, bodies)
	}
	if shared := servertest.Value[int](s, "select count(*) from call_batches, unnest(end_numbers) number where number > 0"); shared != 3 {
		t.Errorf("%d responses are stored with a shared end, want 3", shared)
	}
	if repeated := servertest.Value[int](s, `
		select count(*)
		from call_batches
		where cardinality(response_ends) > (select count(distinct shared) from unnest(response_ends) shared)`); repeated > 0 {
		t.Errorf("%d batches store the same end of responses more than once", repeated)
	}
}
