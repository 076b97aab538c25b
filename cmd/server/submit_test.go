package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// startServer starts a server whose submissions end at once.
func startServer(t *testing.T, flags ...string) (s *servertest.Server, controlURL string) {
	t.Helper()
	p := servertest.Start(t, append(flags, "DATABASE_URL="+storagetest.URL(t), "--data-dir", t.TempDir())...)
	s = p.Server()
	if len(flags) == 0 {
		s.Control("PATCH /tenants/acme/settings", `{"pacing":{"mode":"immediate"}}`).Want(t, http.StatusOK)
	}
	return s, p.ControlURL
}

// run runs a command, and returns its exit code and what it has printed.
func run(t *testing.T, arguments ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	command := servertest.Command(t, arguments...)
	command.Stdout, command.Stderr = &out, &err
	command.Run()
	return command.ProcessState.ExitCode(), out.String(), err.String()
}

// submitted is the output for two documents.
const submitted = `../../examples/submission.eml: Completed in SECONDS
  Insured    Quillfeather Furniture Works, Inc.
  Address    410 Larkspur Mill Road, Grand Rapids, MI, 49503
  Revenue    48,500,000.00
  Broker     Pellbridge Insurance Brokers, LLC, Chicago, IL
  Product    Commercial Property
  Coverage   Building, Contents, Stock, Business income
  Inception  2026-07-01
  Expiry     2027-07-01
  Limit      75,000,000.00
  Premium    212,500.00
  Locations  7
  TIV        72,500,000.00
  tx_id      FIRST
  Console    CONTROL/tenants/acme/submissions/FIRST
../../examples/letter.docx: Completed in SECONDS
  Insured    Bramblecote Brewing Company, LLC
  Address    73 Hopyard Lane, Portland, OR, 97209
  Revenue    9,600,000.00
  Broker     Wrenfold Insurance Brokers, Inc., Seattle, WA
  Product    Commercial Property
  Coverage   Building, Contents, Stock, Business income
  Inception  2026-06-01
  Expiry     2027-06-01
  Limit      12,500,000.00
  Premium    54,000.00
  Locations  3
  TIV        11,260,000.00
  tx_id      SECOND
  Console    CONTROL/tenants/acme/submissions/SECOND
`

func TestSubmitPrintsTheResult(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	broken := writeFile(t, "broken.fail.txt", string(servertest.Letter))
	code, stdout, stderr := run(t, "submit", "UNDERSTUDY_CONTROL_URL="+control+"/", "../../examples/submission.eml", broken, "../../examples/letter.docx")
	stdout = regexp.MustCompile(`\d+\.\d s`).ReplaceAllString(stdout, "SECONDS")
	var ids []any
	for _, match := range regexp.MustCompile(`tx_id +(\S+)`).FindAllStringSubmatch(stdout, -1) {
		ids = append(ids, match[1])
	}
	if code != 1 || len(ids) != 2 {
		t.Fatalf("exit code %d, want 1 and two results, output %s%s", code, stdout, stderr)
	}
	for i, id := range ids {
		stdout = strings.ReplaceAll(stdout, id.(string), []string{"FIRST", "SECOND"}[i])
		s.Control("GET /tenants/acme/transactions/"+id.(string), "").Want(t, http.StatusOK)
	}
	if diff := cmp.Diff(submitted, strings.ReplaceAll(stdout, control, "CONTROL")); diff != "" {
		t.Error(diff)
	}
	if want := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(broken) + `: submission \S+ failed: the file name contains \.fail\.$`); !want.MatchString(stderr) {
		t.Errorf("standard error %s, want the reason of the failure", stderr)
	}
	for _, line := range []string{"submission.eml: Uploading\n", "submission.eml: Completed\n", "letter.docx: Completed\n"} {
		if strings.Count(stderr, line) != 1 {
			t.Errorf("standard error %s, want the line %q", stderr, line)
		}
	}
}

// TestSubmitPrintsTheInquiry compares --json with the response of the control API.
func TestSubmitPrintsTheInquiry(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	id := regexp.MustCompile(`"doc_reference_id":"([^"]+)"`)
	times := regexp.MustCompile(`"(tx_id|tx_start_time|tx_end_time|response_time_secs)":"[^"]*"`)
	for query, flags := range map[string][]string{
		"version=2&package=acme-us-c0001":          nil,
		"version=5&package=acme-us-property-l0001": {"--data-version=5", "--package=acme-us-property-l0001"},
	} {
		code, stdout, stderr := run(t, append([]string{"submit", "--control-url", control, "--json", "../../examples/letter.docx"}, flags...)...)
		found := id.FindStringSubmatch(stdout)
		if code != 0 || found == nil {
			t.Fatalf("%v: exit code %d, output %s%s", flags, code, stdout, stderr)
		}
		want := s.Control("GET /tenants/acme/transactions/"+found[1]+"/inquiry?"+query, "").Want(t, http.StatusOK).Body
		if times.ReplaceAllString(strings.TrimSpace(stdout), "") != times.ReplaceAllString(strings.TrimSpace(want), "") {
			t.Errorf("%v: output %s\nwant %s", flags, stdout, want)
		}
	}
}

func TestSubmitWatchesFiles(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	file := writeFile(t, "letter.txt", string(servertest.Letter))
	p := servertest.NewProcess(t, servertest.Command(t, "submit", "--control-url", control, "--watch", file))
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		<-p.Exited
	})
	shows := func(insured string) {
		t.Helper()
		servertest.Until(t, "the output shows "+insured, func() bool {
			return regexp.MustCompile(`Insured +` + insured + "\n").MatchString(p.Output.String())
		})
	}
	shows("Foxglove Bakery LLC")
	servertest.Until(t, "it watches", func() bool { return strings.Contains(p.Output.String(), "Waiting for changes.") })
	// As editors do: a new file replaces the old one.
	changed := filepath.Join(filepath.Dir(file), "new")
	if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(servertest.Letter), "Foxglove", "Hollyhock")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(changed, file); err != nil {
		t.Fatal(err)
	}
	shows("Hollyhock Bakery LLC")
	p.Cmd.Process.Signal(syscall.SIGINT)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0, output %s", code, p.Output)
	}
	list := s.Control("GET /tenants/acme/transactions", "").Want(t, http.StatusOK).Body
	if n := strings.Count(list, `"tx_id"`); n != 2 {
		t.Errorf("%d submissions, want 2", n)
	}
}

// TestSubmitSaysWhyItWaits submits with a frozen clock, and lets it run then.
func TestSubmitSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	s.Control("PATCH /tenants/acme/settings", `{"pacing":{"mode":"timed"}}`).Want(t, http.StatusOK)
	s.Control("POST /tenants/acme/clock", `{"frozen":true}`).Want(t, http.StatusOK)
	p := servertest.NewProcess(t, servertest.Command(t, "submit", "--control-url", control, "../../examples/letter.docx"))
	t.Cleanup(func() {
		p.Cmd.Process.Kill()
		<-p.Exited
	})
	servertest.Until(t, "it says so", func() bool {
		return strings.Contains(p.Output.String(), "letter.docx: the clock of tenant acme is frozen")
	})
	s.Control("POST /tenants/acme/clock", `{"frozen":false}`).Want(t, http.StatusOK)
	<-p.Exited
	if code := p.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0, output %s", code, p.Output)
	}
}

// TestCommandsSayWhatToDo checks the errors of the commands that call a running server.
func TestCommandsSayWhatToDo(t *testing.T) {
	t.Parallel()
	s, control := startServer(t, "CONTROL_TOKEN=0123456789abcdef0123456789abcdef")
	const token = "UNDERSTUDY_CONTROL_TOKEN=0123456789abcdef0123456789abcdef"
	letter := "../../examples/letter.docx"
	wantError := func(want string, arguments ...string) {
		t.Helper()
		if code, stdout, stderr := run(t, arguments...); code != 1 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%v: exit code %d, output %s%s, want 1 and %q", arguments, code, stdout, stderr, want)
		}
	}
	wantError("server: no server can be reached at http://127.0.0.1:1 (dial tcp 127.0.0.1:1: connect: connection refused): start one with `server`, or set --control-url", "submit", "--control-url=http://127.0.0.1:1", letter)
	wantError("server: the server at "+control+" requires another control token: set UNDERSTUDY_CONTROL_TOKEN", "tenants", "--control-url", control)
	wantError("server: /no/such/file: no such file or directory", "submit", "--control-url", control, "/no/such/file")
	wantError("server: submit: . is a directory", "submit", ".")
	wantError(`server: tenant acme has no data package "p1": set --package to one of: acme-us-c0001, `, "submit", "--control-url", control, token, "--json", "--package=p1", letter)
	wantError("server: event: --data must be the name of a JSON file, or - for standard input: {}: no such file or directory", "event", "hook:test", "--data={}")
	wantError(`server: the server has no tenant "nobody": set --tenant to one of: acme, globex`, "submit", "--control-url", strings.TrimPrefix(control, "http://"), token, "--tenant=nobody", letter)
	wantError(`server: the server has no tenant "nobody": set --tenant to one of: acme, globex`, "event", "hook:test", "--control-url", control, token, "UNDERSTUDY_TENANT=nobody")
	header := map[string]string{"Authorization": "Bearer 0123456789abcdef0123456789abcdef", "Content-Type": "application/json"}
	call := func(line, body string, status int) {
		t.Helper()
		s.ControlWith(t, s.ControlClient, line, body, header).Want(t, status)
	}
	call("DELETE /tenants/acme", "", http.StatusNoContent)
	call("POST /tenants", `{"name":"second"}`, http.StatusCreated)
	wantError("server: the server has several tenants: set --tenant to one of: globex, second", "event", "hook:test", "--control-url", control, token)
	call("DELETE /tenants/second", "", http.StatusNoContent)
	if code, stdout, stderr := run(t, "event", "hook:test", "--control-url", control, token); code != 0 || stdout != "Published hook:test, but no active subscription of tenant globex matches it.\n" {
		t.Errorf("exit code %d, output %s%s, want the only tenant", code, stdout, stderr)
	}
	call("DELETE /tenants/globex", "", http.StatusNoContent)
	wantError("server: the server has no tenants", "event", "hook:test", "--control-url", control, token)
}

func TestTenants(t *testing.T) {
	t.Parallel()
	s, control := startServer(t)
	if code, stdout, stderr := run(t, "tenants", "--control-url", control); code != 0 || stdout != ""+
		"TENANT  FIRST CLIENT   SUBMISSIONS  LAST ACTIVITY\n"+
		"acme    acme-client    0            none\n"+
		"globex  globex-client  0            none\n" {
		t.Errorf("exit code %d, output %s%s", code, stdout, stderr)
	}
	code, stdout, _ := run(t, "tenants", "--json", "--control-url", control)
	clock := regexp.MustCompile(`"(now|offset)":"[^"]*"`)
	want := s.Control("GET /tenants", "").Want(t, http.StatusOK).Body
	if got := clock.ReplaceAllString(stdout, ""); code != 0 || got != clock.ReplaceAllString(want, "")+"\n" {
		t.Errorf("exit code %d, output %s, want %s", code, stdout, want)
	}
}
