package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestAllocationsOfCalls checks how often the most frequent calls allocate memory, from the
// router to the queue of the journal, the select included. A limit is a tenth above the
// measured number, because background work allocates too.
func TestAllocationsOfCalls(t *testing.T) {
	s := servertest.Open(t)
	acme := s.Acme()
	txID := acme.Submit("letter.txt", servertest.Letter)
	handler := s.App.API()
	for path, limit := range map[string]float64{
		"/universal/v2/universal-submit/status/" + txID:          130,
		"/data/v2/acme-us-c0001/" + txID + "?idType=transaction": 162,
		"/data/v2/acme-us-l0001/" + txID + "?idType=sov":         158,
	} {
		allocations := testing.AllocsPerRun(300, func() {
			request := httptest.NewRequest(http.MethodGet, path, nil)
			request.Header.Set("Authorization", "Bearer "+acme.Token)
			request.Header.Set("X-Api-Key", acme.Key)
			response := httptest.NewRecorder()
			if handler.ServeHTTP(response, request); response.Code != http.StatusOK {
				t.Errorf("%s: response %d %s", path, response.Code, response.Body)
			}
		})
		if allocations > limit {
			t.Errorf("%s allocates %.0f times, want at most %.0f", path, allocations, limit)
		}
	}
}
