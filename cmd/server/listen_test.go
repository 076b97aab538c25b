package main_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"understudy.example/internal/server/servertest"
)

// startListen starts `server listen` and returns when it is ready.
func startListen(t *testing.T, controlURL string, flags ...string) *servertest.Process {
	t.Helper()
	p := servertest.NewProcess(t, servertest.Command(t, append([]string{"listen", "--control-url", controlURL}, flags...)...))
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		<-p.Exited
	})
	servertest.Until(t, "it is ready", func() bool { return strings.Contains(p.Output.String(), "Press Ctrl-C to end.\n") })
	return p
}

// subscriptions returns the URLs of acme's subscriptions.
func subscriptions(t *testing.T, s *servertest.Server) (urls []string) {
	t.Helper()
	var list struct{ Hooks []struct{ URL string } }
	if err := json.Unmarshal([]byte(s.Control("GET /tenants/acme/hooks", "").Want(t, http.StatusOK).Body), &list); err != nil {
		t.Fatal(err)
	}
	for _, hook := range list.Hooks {
		urls = append(urls, hook.URL)
	}
	return urls
}

// received is a request that a receiver got.
type received struct {
	uri    string
	header http.Header
	body   []byte
}

// TestListenForwardsDeliveries rejects the first attempt of a delivery and accepts the
// second. The forwarded requests are those that the server records.
func TestListenForwardsDeliveries(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	requests := make(chan received, 10)
	status := http.StatusTeapot
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- received{r.RequestURI, r.Header, body}
		w.Header().Set("X-Own", "receiver")
		w.WriteHeader(status)
		io.WriteString(w, "body of the receiver")
		status = http.StatusAccepted
	}))
	defer receiver.Close()
	p := startListen(t, control, "--forward-to", strings.TrimPrefix(receiver.URL, "http://")+"/hook?a=b%20c", "--events", "claims,universal_submit")
	secret := regexp.MustCompile(`signing secret of tenant acme is (\S{20,})\n`).FindStringSubmatch(p.Output.String())
	if secret == nil {
		t.Fatalf("output %s, want the secret", p.Output)
	}
	data := writeFile(t, "data.json", `{"tx_id": "t-1", "text": "naïve <b>&"}`)
	if code, stdout, stderr := run(t, "event", "claims:paid", "--control-url", control, "--data", data); code != 0 || !strings.HasPrefix(stdout, "Published claims:paid to 1 subscription of tenant acme. Event id: ") {
		t.Fatalf("event: exit code %d, output %s%s", code, stdout, stderr)
	}
	first := <-requests
	prints := func(pattern string) {
		t.Helper()
		servertest.Until(t, "the output matches "+pattern, func() bool { return regexp.MustCompile(`(?m)` + pattern + `$`).MatchString(p.Output.String()) })
	}
	prints(`^\d\d:\d\d:\d\d  claims:paid  t-1  attempt 1  418`)
	s.Control("POST /tenants/acme/clock", `{"advance":"1h"}`).Want(t, http.StatusOK)
	second := <-requests
	prints(`^\d\d:\d\d:\d\d  claims:paid  t-1  attempt 2  202`)

	var list struct {
		Deliveries []struct {
			State    string
			Body     string
			Attempts []struct {
				Status   int
				Response struct {
					Headers http.Header
					Body    string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(s.Control("GET /tenants/acme/deliveries", "").Want(t, http.StatusOK).Body), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Deliveries) != 1 || list.Deliveries[0].State != "delivered" || len(list.Deliveries[0].Attempts) != 2 {
		t.Fatalf("deliveries %+v, want one with two attempts", list)
	}
	delivery := list.Deliveries[0]
	for i, want := range []int{http.StatusTeapot, http.StatusAccepted} {
		if got := delivery.Attempts[i]; got.Status != want || got.Response.Body != "body of the receiver" || got.Response.Headers.Get("X-Own") != "receiver" {
			t.Errorf("attempt %d: %+v, want the receiver's response with %d", i+1, got, want)
		}
	}
	for _, r := range []received{first, second} {
		mac := hmac.New(sha256.New, []byte(secret[1]))
		mac.Write(r.body)
		if got, want := r.header.Get("X-Signature"), "sha256="+hex.EncodeToString(mac.Sum(nil)); got != want {
			t.Errorf("X-Signature %s, want %s", got, want)
		}
		if string(r.body) != delivery.Body || r.uri != "/hook?a=b%20c" {
			t.Errorf("%s with %s, want %s", r.uri, r.body, delivery.Body)
		}
		for _, name := range []string{"Accept-Encoding", "X-Forwarded-For", "Via"} {
			if r.header.Get(name) != "" {
				t.Errorf("header %v, want no %s", r.header, name)
			}
		}
		if !strings.HasPrefix(r.header.Get("User-Agent"), "Understudy-Webhook/") || r.header.Get("X-Emperor-Event") != "claims:paid" || r.header.Get("X-Delivery-Id") == "" {
			t.Errorf("header %v, want that of a delivery", r.header)
		}
	}

	receiver.Close()
	if code, _, stderr := run(t, "event", "claims:lost", "--control-url", control); code != 0 {
		t.Fatalf("event: %s", stderr)
	}
	prints(`claims:lost  -  attempt 1  not forwarded: dial tcp \S+: connect: connection refused`)

	p.Cmd.Process.Signal(syscall.SIGINT)
	p.Cmd.Process.Signal(syscall.SIGINT) // the second one must not end the deletion of the subscription
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0, output %s", code, p.Output)
	}
	if left := subscriptions(t, s); left != nil {
		t.Errorf("subscriptions %v, want none", left)
	}
}

// TestListenDeletesStaleSubscriptions checks that a start deletes the subscription of a
// killed command, and neither that of a running one nor those of others.
func TestListenDeletesStaleSubscriptions(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	s.Control("POST /tenants/acme/hooks", `{"name":"mine","url":"http://127.0.0.1:1/","events":["*"]}`).Want(t, http.StatusCreated)
	running := startListen(t, control, "--secret", "s3cret")
	if !strings.Contains(running.Output.String(), "signing secret of tenant acme is s3cret\n") {
		t.Errorf("output %s, want the given secret", running.Output)
	}
	killed := startListen(t, control)
	before := subscriptions(t, s)
	killed.Kill()
	if left := subscriptions(t, s); len(left) != 3 {
		t.Fatalf("subscriptions %v, want 3", left)
	}
	startListen(t, control)
	after := subscriptions(t, s)
	if len(after) != 3 || after[0] != before[0] || after[1] != before[1] || after[2] == before[2] {
		t.Errorf("subscriptions %v, want the first two of %v and a new one", after, before)
	}
}

func TestListenErrors(t *testing.T) {
	t.Parallel()
	_, control := startServer(t)
	for want, flags := range map[string][]string{
		"server: listen: --forward-to ftp://localhost/ is not an http or https URL": {"--forward-to", "ftp://localhost/"},
		"server: create a subscription: 422 Unprocessable Entity: events: ":         {"--events", "claims:paid"},
	} {
		if code, stdout, stderr := run(t, append([]string{"listen", "--control-url", control}, flags...)...); code != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%v: exit code %d, output %s%s, want 1 and %q", flags, code, stdout, stderr, want)
		}
	}
	if code, _, stderr := run(t, "event", "hook:test", "--control-url", control, "--data", writeFile(t, "broken.json", "{")); code != 1 || !strings.Contains(stderr, "broken.json is not valid JSON") {
		t.Errorf("exit code %d, output %s", code, stderr)
	}
}
