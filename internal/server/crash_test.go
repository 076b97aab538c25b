package server_test

import (
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestAcknowledgedWorkSurvivesACrash kills the server between the steps of a
// submission, and checks that nothing that was acknowledged is lost.
func TestAcknowledgedWorkSurvivesACrash(t *testing.T) {
	servertest.Proves(t, "Chosen, universal submit: upload: 200 only when the file is durable")
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	acme := p.Server().Acme()
	restart := func() {
		t.Helper()
		p.Kill()
		p = servertest.Start(t, "--data-dir", dir)
		acme.Server = p.Server() // the token stays valid
	}
	refresh := acme.NewToken(seed.Demos()[0]).Text(t, "refresh_token")
	company := acme.Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	pending, url := acme.Announce("a.txt")

	restart()
	acme.Do("GET /data/v1/acme-us-c0001/"+company.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	acme.Refresh(seed.Demos()[0], refresh).Want(t, http.StatusOK)
	acme.Status(pending).Want(t, http.StatusOK)
	url = p.API + url[strings.Index(url, "/file-transfer"):]
	acme.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)

	restart()
	triggered := acme.Trigger(pending).Want(t, http.StatusOK)

	restart()
	acme.Trigger(pending).Want(t, http.StatusOK, triggered.Body)
	acme.AwaitStatus(pending, "Started", "Completed")

	restart()
	done := acme.AwaitStatus(pending, "Completed")
	data := acme.Do("GET /data/v2/acme-us-c0001/"+pending+"?idType=transaction", "").Want(t, http.StatusOK)
	if got := data.Text(t, "seed_input", "company_name"); got != "Foxglove Bakery LLC" {
		t.Errorf("company_name %q, want Foxglove Bakery LLC", got)
	}

	restart()
	acme.Status(pending).Want(t, http.StatusOK, done.Body)
}
