package auth_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

const invalidGrant = `{"error":"invalid_grant","error_description":"The refresh token is invalid, expired or revoked"}`

func TestRefreshGivesNewTokensEachTime(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: a refresh token is used once")
	s := servertest.New(t)
	acme := seed.Demos()[0]
	first := s.NewToken(acme)
	access, token := first.Text(t, "access_token"), first.Text(t, "refresh_token")
	seen := map[string]bool{access: true, token: true}
	for range 4 {
		s.Pass(12*time.Hour + time.Second) // the access token expires
		checkToken(t, s, access, http.StatusUnauthorized)
		next := s.Refresh(acme, token).Want(t, http.StatusOK)
		if next.Header.Get("Cache-Control") != "no-store" || next.Get(t, "expires_in") != 43200.0 {
			t.Errorf("response %v %s", next.Header, next.Body)
		}
		if diff := cmp.Diff(first.Get(t, "extra"), next.Get(t, "extra")); diff != "" {
			t.Errorf("client (- first token, + refreshed):\n%s", diff)
		}
		access, token = next.Text(t, "access_token"), next.Text(t, "refresh_token")
		if seen[access] || seen[token] {
			t.Error("a token was issued twice")
		}
		seen[access], seen[token] = true, true
		checkToken(t, s, access, http.StatusNotFound)
	}
}

// TestReplayedRefreshToken checks that a used token gives the same response again
// for 10 seconds, and that later use revokes its family.
func TestReplayedRefreshToken(t *testing.T) {
	servertest.Proves(t,
		"Chosen, token endpoint: a replay within 10 seconds gives the same successor",
		"Chosen, token endpoint: a later replay revokes the family")
	s := servertest.New(t)
	acme := seed.Demos()[0]
	old := s.NewToken(acme).Text(t, "refresh_token")
	successor := s.Refresh(acme, old).Want(t, http.StatusOK)
	for range 2 {
		s.Pass(5 * time.Second)
		s.Refresh(acme, old).Want(t, http.StatusOK, successor.Body)
	}
	s.Pass(time.Microsecond)
	s.Refresh(acme, old).Want(t, http.StatusBadRequest, invalidGrant)
	s.Refresh(acme, successor.Text(t, "refresh_token")).Want(t, http.StatusBadRequest, invalidGrant)
	s.Refresh(acme, old).Want(t, http.StatusBadRequest, invalidGrant)
	// The client's other families stay valid.
	s.Refresh(acme, s.NewToken(acme).Text(t, "refresh_token")).Want(t, http.StatusOK)
}

func TestReplayOfAnEarlierGenerationRevokesTheFamily(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: a later replay revokes the family")
	s := servertest.New(t)
	acme := seed.Demos()[0]
	first := s.NewToken(acme).Text(t, "refresh_token")
	second := s.Refresh(acme, first).Want(t, http.StatusOK).Text(t, "refresh_token")
	third := s.Refresh(acme, second).Want(t, http.StatusOK).Text(t, "refresh_token")
	s.Refresh(acme, first).Want(t, http.StatusBadRequest, invalidGrant)
	s.Refresh(acme, third).Want(t, http.StatusBadRequest, invalidGrant)
}

func TestConcurrentRefreshGivesOneSuccessor(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: a refresh token is used once")
	s := servertest.New(t)
	old := s.NewToken(seed.Demos()[0]).Text(t, "refresh_token")
	basic := servertest.Basic("acme-client", "acme-secret")
	var group sync.WaitGroup
	responses := make([]servertest.Response, 20)
	for i := range responses {
		request := s.Request(tokenCall("", basic, urlencoded, "grant_type=refresh_token&refresh_token="+old))
		group.Go(func() {
			response, err := servertest.Try(s.Client, request)
			if err != nil {
				t.Error(err)
			}
			responses[i] = response
		})
	}
	group.Wait()
	for _, response := range responses {
		response.Want(t, http.StatusOK, responses[0].Body)
	}
	if families := servertest.Value[int](s, "select count(*) from refresh_families where generation = 1"); families != 1 {
		t.Errorf("%d families, want 1", families)
	}
}

// TestRefreshTokensEndWithTheirTenant checks that a reset of a tenant, and its deletion, end all
// refresh tokens: those that were never used too, and those whose family was revoked.
func TestRefreshTokensEndWithTheirTenant(t *testing.T) {
	for name, end := range map[string]func(s *servertest.Server){
		"reset": func(s *servertest.Server) { s.Control("POST /tenants/acme/reset", "").Want(s.T, http.StatusOK) },
		// A start of the server seeds a deleted demo tenant again, with the same user ids.
		"deleted and seeded again": func(s *servertest.Server) {
			s.Exec("delete from refresh_families")
			s.Exec("update clients set created_at = $1", s.Now())
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t)
			acme := seed.Demos()[0]
			unused, used, revoked := s.NewToken(acme).Text(t, "refresh_token"), s.NewToken(acme).Text(t, "refresh_token"), s.NewToken(acme).Text(t, "refresh_token")
			successor := s.Refresh(acme, used).Want(t, http.StatusOK).Text(t, "refresh_token")
			s.Refresh(acme, revoked).Want(t, http.StatusOK)
			s.Pass(time.Minute)
			s.Refresh(acme, revoked).Want(t, http.StatusBadRequest, invalidGrant)
			end(s)
			for _, token := range []string{unused, used, successor, revoked} {
				s.Refresh(acme, token).Want(t, http.StatusBadRequest, invalidGrant)
			}
			s.Refresh(acme, s.NewToken(acme).Text(t, "refresh_token")).Want(t, http.StatusOK)
		})
	}
}

func TestRefreshTokenIsBoundToClientAndEnvironment(t *testing.T) {
	servertest.Proves(t,
		"Chosen, process: the environment is bound into tokens",
		"Chosen, token endpoint: a bad refresh token: 400 invalid_grant")
	s := servertest.New(t)
	acme, globex, company := seed.Demos()[0], seed.Demos()[1], seed.Demos()[2]
	token := s.NewToken(acme).Text(t, "refresh_token")
	s.Unchanged(t, func() {
		s.Refresh(globex, token).Want(t, http.StatusBadRequest, invalidGrant)
		s.Refresh(company, token).Want(t, http.StatusBadRequest, invalidGrant)
		staging := s.Environment("staging")
		s.Refresh(acme, staging.NewToken(staging.Demo(0)).Text(t, "refresh_token")).Want(t, http.StatusBadRequest, invalidGrant)
	})
	next := s.Refresh(acme, token).Want(t, http.StatusOK).Text(t, "refresh_token")

	s.Exec("update clients set revoked_at = created_at where id = 'acme-client'")
	s.Pass(time.Second)
	s.Refresh(acme, next).Want(t, http.StatusUnauthorized)
}
