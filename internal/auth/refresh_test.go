package auth_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// refresh uses a refresh token up.
func (w *servertest.Server) refresh(demo auth.Demo, token string) servertest.Response {
	w.T.Helper()
	return w.Do(servertest.Call{
		Line:   "POST /auth/token",
		Header: header(servertest.Basic(demo.ClientID, demo.ClientSecret), urlencoded),
		Body:   "grant_type=refresh_token&refresh_token=" + token,
	})
}

const invalidGrant = `{"error":"invalid_grant","error_description":"The refresh token is invalid, expired or revoked"}`

func TestRefreshRotates(t *testing.T) {
	w := servertest.New(t)
	acme := auth.Demos[0]
	first := w.token(acme)
	access, token := first.Text(t, "access_token"), first.Text(t, "refresh_token")
	seen := map[string]bool{access: true, Token: true}
	// Each time after the access token has run out.
	for range 4 {
		w.Pass(12*time.Hour + time.Second)
		w.status401(t, access, true)
		next := w.refresh(acme, token).Want(t, http.StatusOK)
		if next.Header.Get("Cache-Control") != "no-store" || next.Get(t, "expires_in") != 43200.0 {
			t.Errorf("answer %v %s", next.Header, next.Body)
		}
		if diff := cmp.Diff(first.Get(t, "extra"), next.Get(t, "extra")); diff != "" {
			t.Errorf("another client: %s", diff)
		}
		access, token = next.Text(t, "access_token"), next.Text(t, "refresh_token")
		if seen[access] || seen[token] {
			t.Error("a token came twice")
		}
		seen[access], seen[token] = true, true
		w.status401(t, access, false)
	}
}

func TestRefreshReplay(t *testing.T) {
	w := servertest.New(t)
	acme := auth.Demos[0]
	old := w.token(acme).Text(t, "refresh_token")
	successor := w.refresh(acme, old).Want(t, http.StatusOK)
	for range 2 {
		w.Pass(5 * time.Second)
		w.refresh(acme, old).Want(t, http.StatusOK, successor.Body)
	}
	// Later it is taken for stolen: nothing of the family is good any more.
	w.Pass(time.Microsecond)
	w.refresh(acme, old).Want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, successor.Text(t, "refresh_token")).Want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, old).Want(t, http.StatusBadRequest, invalidGrant)
	// Another family of the client is its own.
	w.refresh(acme, w.token(acme).Text(t, "refresh_token")).Want(t, http.StatusOK)
}

func TestRefreshReplayOfAnEarlierGeneration(t *testing.T) {
	w := servertest.New(t)
	acme := auth.Demos[0]
	first := w.token(acme).Text(t, "refresh_token")
	second := w.refresh(acme, first).Want(t, http.StatusOK).Text(t, "refresh_token")
	third := w.refresh(acme, second).Want(t, http.StatusOK).Text(t, "refresh_token")
	w.refresh(acme, first).Want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, third).Want(t, http.StatusBadRequest, invalidGrant)
}

func TestRefreshAtOnceGivesOneSuccessor(t *testing.T) {
	w := servertest.New(t)
	acme := auth.Demos[0]
	old := w.token(acme).Text(t, "refresh_token")
	var all sync.WaitGroup
	answers := make([]servertest.Response, 20)
	for i := range answers {
		all.Go(func() { answers[i] = w.refresh(acme, old) })
	}
	all.Wait()
	for _, a := range answers {
		a.Want(t, http.StatusOK, answers[0].Body)
	}
	if families := servertest.Value[int](w, "select count(*) from refresh_families where generation = 1"); families != 1 {
		t.Errorf("%d families", families)
	}
}

func TestRefreshIsTheClientsOwn(t *testing.T) {
	w := servertest.New(t)
	acme, globex, company := auth.Demos[0], auth.Demos[1], auth.Demos[2]
	token := w.token(acme).Text(t, "refresh_token")
	w.Unchanged(t, func() {
		w.refresh(globex, token).Want(t, http.StatusBadRequest, invalidGrant)
		w.refresh(company, token).Want(t, http.StatusBadRequest, invalidGrant)
		w.refresh(acme, w.Environment("staging").token(acme).Text(t, "refresh_token")).Want(t, http.StatusBadRequest, invalidGrant)
	})
	next := w.refresh(acme, token).Want(t, http.StatusOK).Text(t, "refresh_token")

	w.Exec("update clients set revoked_at = created_at where id = 'acme-client'")
	w.Pass(time.Second)
	w.refresh(acme, next).Want(t, http.StatusUnauthorized)
}
