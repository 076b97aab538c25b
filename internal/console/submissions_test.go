package console_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// hostile is text that would do harm as markup.
const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'&`

// TestSubmissionInTheBrowser drops a document, watches it complete, opens the evidence of
// a value, corrects the value, submits the document again and sees the corrected value.
func TestSubmissionInTheBrowser(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/submissions")
	tab.AwaitText("#list", "No submissions yet")
	tab.Inspect("no submissions")
	tab.Drop("letter.txt", servertest.Letter)
	tab.AwaitText("h1", "letter.txt")
	tab.AwaitText("#state", "Completed")
	tab.AwaitText("#values", "Foxglove Bakery LLC")
	tab.Inspect("completed")

	tab.Click(`#values a[href*="value=facts.0"]`)
	tab.AwaitText("#evidence", "Named Insured: Foxglove Bakery LLC")
	tab.Inspect("evidence")

	tab.Click(`#values a[href*="edit=1"]`)
	tab.Await(`input[name="facts.company_name"]`)
	tab.Inspect("edit")
	tab.Fill(`input[name="facts.company_name"]`, "Foxglove Bakeries Inc")
	tab.Click("#correct button")
	tab.AwaitText(".kept", "Kept")
	tab.Attach(".kept input[type=file]", "letter.txt", servertest.Letter)
	tab.Click(".kept form button")
	tab.AwaitTrue(`() => !document.querySelector('.kept') && document.querySelector('#values')?.innerText.includes('Foxglove Bakeries Inc')`)
	outcomes := tenant.Control("GET /outcomes", "").Want(t, http.StatusOK).Body
	if strings.Count(outcomes, `"match"`) != 1 || !strings.Contains(outcomes, `"company_name":"Foxglove Bakeries Inc"`) || !strings.Contains(outcomes, `"city":"Springfield"`) {
		t.Errorf("outcomes: %s", outcomes)
	}
	tab.Go("/tenants/" + tenant.Name + "/submissions")
	tab.AwaitText("#list", "Foxglove Bakeries Inc")
	tab.Inspect("submissions")
	tab.Fill("#q", "bakeries INC")
	tab.Click("form[role=search] button")
	tab.AwaitTrue(`() => document.querySelectorAll('#list tbody tr').length == 1`)
}

// TestListIsLive checks that the list shows a submission of a client without being loaded
// again.
func TestListIsLive(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/submissions")
	tab.AwaitText("#list", "No submissions yet")
	tenant.AwaitEnd(tenant.SubmitFile("live.txt", servertest.Letter))
	tab.AwaitText("#list tbody", "Completed")
}

// TestMarkupIsText checks that markup of clients is shown as text, wherever the pages of
// submissions show it.
func TestMarkupIsText(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	mail := "From: " + hostile + " <a@b.example>\r\nSubject: " + hostile + "\r\nContent-Type: text/plain\r\n\r\nNamed Insured: Fox" + hostile + " LLC\r\n" + hostile + "\r\n"
	name := strings.ReplaceAll(hostile, `"`, "") + ".eml"
	txID := tenant.SubmitFile(name, []byte(mail))
	tenant.AwaitEnd(txID)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"set.txt"},"facts":{"company_name":"<b>A</b> Co"}}`).Want(t, http.StatusOK)
	tenant.AwaitEnd(tenant.SubmitFile("set.txt", servertest.Letter))
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/submissions")
	tab.AwaitText("#list", name)
	tab.AwaitText("#list", "<b>A</b> Co")
	for _, path := range []string{"", "?edit=1", "?value=facts.0#evidence", "?version=5"} {
		tab.Go("/tenants/" + tenant.Name + "/submissions/" + txID + path)
		tab.AwaitText("h1", name)
		tab.AwaitText("#document", "<script>alert(2)</script>")
		var foreign int
		tab.Eval(`() => document.querySelectorAll('main img, main script, main b').length`, &foreign)
		if foreign != 0 {
			t.Errorf("%s: %d elements of the document are on the page", path, foreign)
		}
	}
}

// TestEveryExtractedValueCanBeCorrected checks that fields which only older reports show
// can be corrected too.
func TestEveryExtractedValueCanBeCorrected(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("letter.txt", []byte("Named Insured: Foxglove Bakery LLC\nPhone: (217) 555-0142\n"))
	tenant.AwaitEnd(txID)
	url := origin(s) + "/tenants/" + tenant.Name + "/submissions/" + txID
	page := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + url + "?edit=1", Header: map[string]string{"Accept": "text/html"}}).Want(t, http.StatusOK).Body
	if !strings.Contains(page, `<input name="facts.phone_number" value="(217) 555-0142"`) {
		t.Error("the phone number cannot be corrected")
	}
}

// TestSubmissionShowsLists checks that the entries of lists are shown as text, at most 50
// of each list, with their evidence.
func TestSubmissionShowsLists(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	var fleet strings.Builder
	fleet.WriteString("Year,Make,Model,VIN\n")
	for i := range 53 {
		fleet.WriteString(fmt.Sprintf("2019,Ford,F-150,1FTEW1E50KFA%05d\n", i))
	}
	txID := tenant.SubmitFile("fleet.csv", []byte(fleet.String()))
	tenant.AwaitEnd(txID)
	get := func(query string) string {
		return s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/tenants/" + tenant.Name + "/submissions/" + txID + query, Header: map[string]string{"Accept": "text/html"}}).Want(t, http.StatusOK).Body
	}
	page := get("")
	for _, want := range []string{"year: 2019; make: Ford; model: F-150; vin: 1FTEW1E50KFA00000", "vin: 1FTEW1E50KFA00049", "3 more entries", `rowspan="51"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, "vin: 1FTEW1E50KFA00050") {
		t.Error("the page has more than 50 entries")
	}
	if first := get("?value=facts.1"); strings.Count(first, `id="evidence"`) != 1 {
		t.Errorf("the evidence is marked %d times, want once", strings.Count(first, `id="evidence"`))
	}
}

// TestPDFEvidence checks that a page of a PDF is drawn, that the evidence of a value is
// marked on it without scripts, and that the locations are on a map.
func TestPDFEvidence(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	content, err := os.ReadFile(filepath.Join(servertest.Root(t), "examples", "application.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	txID := tenant.SubmitFile("application.pdf", content)
	tenant.AwaitEnd(txID)
	path := "/tenants/" + tenant.Name + "/submissions/" + txID
	get := func(query string) string {
		return s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + path + query, Header: map[string]string{"Accept": "text/html"}}).Want(t, http.StatusOK).Body
	}
	body := get("")
	for _, want := range []string{`<svg viewBox="0 0 612 792"`, `textLength=`, `<image href="/assets/world.svg`, `class="dot"`, "Fresno", "curl -H", `idType=transaction`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for i := range 5 {
		if body := get(fmt.Sprintf("?value=facts.%d", i)); strings.Count(body, `id="evidence"`) != 1 {
			t.Errorf("value %d: the evidence is marked %d times, want once", i, strings.Count(body, `id="evidence"`))
		}
	}
	if body := get("?value=locations.1.2"); !strings.Contains(body, `<rect class="hit" id="evidence"`) || !strings.Contains(body, "Page 2 of 2") {
		t.Error("the cell of a location is not marked")
	}
	tab := consoletest.Open(t, s)
	tab.Go(path + "?value=locations.1.2#evidence")
	tab.Inspect("pdf")
	t.Logf("the page has %d bytes", len(body))
}

// TestFailureIsExplained checks that the page of a failed submission says why.
func TestFailureIsExplained(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("a.fail.txt", servertest.Letter)
	tenant.AwaitEnd(txID)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/" + tenant.Name + "/submissions/" + txID)
	tab.AwaitText("#failure", "Rename the file")
	tab.Inspect("failed")
	pending, _ := tenant.Announce("later.txt")
	tab.Go("/tenants/" + tenant.Name + "/submissions/" + pending)
	tab.AwaitText("#timeline-heading + div + .hint", "has to upload the file")
	tab.Inspect("pending")
}
