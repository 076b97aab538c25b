package main

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/auth"
)

// refresh uses a refresh token up.
func (w *world) refresh(demo auth.Demo, token string) answer {
	w.t.Helper()
	return w.do(call{
		line:   "POST /auth/token",
		header: header(basicAuth(demo.ClientID, demo.ClientSecret), urlencoded),
		body:   "grant_type=refresh_token&refresh_token=" + token,
	})
}

const invalidGrant = `{"error":"invalid_grant","error_description":"The refresh token is invalid, expired or revoked"}`

func TestRefreshRotates(t *testing.T) {
	w := newWorld(t)
	acme := auth.Demos[0]
	first := w.token(acme)
	access, token := first.text(t, "access_token"), first.text(t, "refresh_token")
	seen := map[string]bool{access: true, token: true}
	// Each time after the access token has run out.
	for range 4 {
		w.pass(12*time.Hour + time.Second)
		w.status401(t, access, true)
		next := w.refresh(acme, token).want(t, http.StatusOK)
		if next.Header.Get("Cache-Control") != "no-store" || next.get(t, "expires_in") != 43200.0 {
			t.Errorf("answer %v %s", next.Header, next.Body)
		}
		if diff := cmp.Diff(first.get(t, "extra"), next.get(t, "extra")); diff != "" {
			t.Errorf("another client: %s", diff)
		}
		access, token = next.text(t, "access_token"), next.text(t, "refresh_token")
		if seen[access] || seen[token] {
			t.Error("a token came twice")
		}
		seen[access], seen[token] = true, true
		w.status401(t, access, false)
	}
}

func TestRefreshReplay(t *testing.T) {
	w := newWorld(t)
	acme := auth.Demos[0]
	old := w.token(acme).text(t, "refresh_token")
	successor := w.refresh(acme, old).want(t, http.StatusOK)
	for range 2 {
		w.pass(5 * time.Second)
		w.refresh(acme, old).want(t, http.StatusOK, successor.Body)
	}
	// Later it is taken for stolen: nothing of the family is good any more.
	w.pass(time.Microsecond)
	w.refresh(acme, old).want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, successor.text(t, "refresh_token")).want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, old).want(t, http.StatusBadRequest, invalidGrant)
	// Another family of the client is its own.
	w.refresh(acme, w.token(acme).text(t, "refresh_token")).want(t, http.StatusOK)
}

func TestRefreshReplayOfAnEarlierGeneration(t *testing.T) {
	w := newWorld(t)
	acme := auth.Demos[0]
	first := w.token(acme).text(t, "refresh_token")
	second := w.refresh(acme, first).want(t, http.StatusOK).text(t, "refresh_token")
	third := w.refresh(acme, second).want(t, http.StatusOK).text(t, "refresh_token")
	w.refresh(acme, first).want(t, http.StatusBadRequest, invalidGrant)
	w.refresh(acme, third).want(t, http.StatusBadRequest, invalidGrant)
}

func TestRefreshAtOnceGivesOneSuccessor(t *testing.T) {
	w := newWorld(t)
	acme := auth.Demos[0]
	old := w.token(acme).text(t, "refresh_token")
	var all sync.WaitGroup
	answers := make([]answer, 20)
	for i := range answers {
		all.Go(func() { answers[i] = w.refresh(acme, old) })
	}
	all.Wait()
	for _, a := range answers {
		a.want(t, http.StatusOK, answers[0].Body)
	}
	if families := read[int](w, "select count(*) from refresh_families where generation = 1"); families != 1 {
		t.Errorf("%d families", families)
	}
}

func TestRefreshIsTheClientsOwn(t *testing.T) {
	w := newWorld(t)
	acme, globex, company := auth.Demos[0], auth.Demos[1], auth.Demos[2]
	token := w.token(acme).text(t, "refresh_token")
	w.unchanged(t, func() {
		w.refresh(globex, token).want(t, http.StatusBadRequest, invalidGrant)
		w.refresh(company, token).want(t, http.StatusBadRequest, invalidGrant)
		w.refresh(acme, w.environment("staging").token(acme).text(t, "refresh_token")).want(t, http.StatusBadRequest, invalidGrant)
	})
	next := w.refresh(acme, token).want(t, http.StatusOK).text(t, "refresh_token")

	w.exec("update clients set revoked_at = created_at where id = 'acme-client'")
	w.pass(time.Second)
	w.refresh(acme, next).want(t, http.StatusUnauthorized)
}
