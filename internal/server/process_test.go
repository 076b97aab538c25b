package server_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

func TestReadyLineAndWelcome(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t))
	w := p.Server()
	for _, url := range []string{p.API, p.control} {
		for _, path := range []string{"/livez", "/readyz"} {
			w.Do(servertest.Call{Line: "GET " + url + path}).Want(t, http.StatusOK, `{"status":"ok"}`)
		}
	}
	for _, demo := range auth.Demos {
		if !strings.Contains(p.Output.String(), demo.ClientID) || !strings.Contains(p.Output.String(), demo.APIKey) {
			t.Errorf("welcome does not show %s", demo.ClientID)
		}
	}
	curl := regexp.MustCompile(`(?m)^ +(curl .*)$`).FindStringSubmatch(p.Output.String())
	if curl == nil {
		t.Fatal("no curl line")
	}
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", curl[1]).Output()
		var token struct {
			AccessToken string `json:"access_token"`
		}
		if err != nil || json.Unmarshal(out, &token) != nil {
			t.Fatalf("%s: %s, %v", curl[1], out, err)
		}
		w.Do(servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + absent, Token: token.AccessToken, Key: "acme-api-key"}).Want(t, http.StatusNotFound)
	}
	p.Cmd.Process.Signal(syscall.SIGINT)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if lines := strings.Count(p.Output.String(), "msg=ready"); lines != 1 {
		t.Errorf("%d ready lines", lines)
	}
	for _, secret := range []string{"data=", "access_token", "acme-secret:"} {
		for line := range strings.Lines(p.Output.String()) {
			if strings.Contains(line, "level=") && strings.Contains(line, secret) {
				t.Errorf("log line with a secret: %s", line)
			}
		}
	}
}

// TestKilled: whatever was answered is there after a crash, and is finished.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "--data-dir", dir)
	w := p.Server()
	acme := w.Acme()
	token, key := acme.Token, acme.Key
	again := func() {
		t.Helper()
		p.Kill()
		p = servertest.Start(t, "--data-dir", dir)
		w = p.Server()
		acme = servertest.Client{w, token, key} // a token outlives the server
	}
	refresh := w.NewToken(auth.Demos[0]).Text(t, "refresh_token")
	company := acme.Do(companySubmit, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)

	pending, url := acme.Announce("a.txt")
	again()
	acme.Do("GET /data/v1/acme-us-c0001/"+company.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	w.refresh(auth.Demos[0], refresh).Want(t, http.StatusOK)
	acme.Status(pending).Want(t, http.StatusOK)
	url = p.API + url[strings.Index(url, "/file-transfer"):]
	w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
	again()
	triggered := acme.Trigger(pending).Want(t, http.StatusOK)
	again()
	acme.Trigger(pending).Want(t, http.StatusOK, triggered.Body)
	acme.AwaitStatus(pending, "Started", "Completed")
	again()
	done := acme.AwaitStatus(pending, "Completed")
	data := acme.Do("GET /data/v2/acme-us-c0001/"+pending+"?idType=transaction", "").Want(t, http.StatusOK)
	if data.Text(t, "seed_input", "company_name") != "Foxglove Bakery LLC" {
		t.Errorf("data %s", data.Body)
	}
	again()
	acme.Status(pending).Want(t, http.StatusOK, done.Body)
}

// TestKilledAtOnce: however often a server dies, all that it took is finished.
func TestKilledAtOnce(t *testing.T) {
	t.Parallel()
	dir := servertest.DataDir(t)
	var all []string
	var token servertest.Response
	for range 4 {
		p := servertest.Start(t, "--data-dir", dir)
		w := p.Server()
		token = w.NewToken(auth.Demos[0])
		acme := servertest.Client{w, token.Text(t, "access_token"), "acme-api-key"}
		for range 3 {
			txID, url := acme.Announce("a.txt")
			w.Upload(url, "a.txt", servertest.Letter).Want(t, http.StatusOK)
			acme.Trigger(txID).Want(t, http.StatusOK)
			all = append(all, txID)
		}
		p.Kill()
	}
	p := servertest.Start(t, "--data-dir", dir)
	acme := servertest.Client{p.Server(), token.Text(t, "access_token"), "acme-api-key"}
	for _, txID := range all {
		acme.AwaitStatus(txID, "Completed")
	}
}
