package console_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestClockPage freezes the clock, jumps to what is due, and advances it, and shows what
// happened.
func TestClockPage(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewNamedTenant("clockwork", `{"pacing":{"mode":"timed","scheduled":"10s","started":"20s","finished":"30s"}}`)
	tenant.MoveClock(`{"frozen":true}`)
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/clockwork/control")
	tab.AwaitText("#clock-part", "frozen")
	tab.AwaitText("#clock-part", txID+" reaches Scheduled")
	tab.Inspect("clock")
	tab.Click("form:has([name=set]) button")
	tab.AwaitText("#result", txID+" reached Scheduled")
	tab.AwaitText("#clock-part", txID+" reaches Started")
	tab.Fill("#advance", "2d")
	tab.Click("form:has(#advance) button")
	tab.AwaitText("#result", txID+" reached Completed")
	tab.AwaitText("#clock-part", "Nothing is due")
	tab.Inspect("moved")
	tab.Expect("status of 409")
	tab.Fill("#set", "2020-01-01T00:00:00Z")
	tab.Click("form:has(#set) button")
	tab.AwaitText("#notice", "never moved back")
	tab.Click("form:has([name='frozen:bool']) button")
	tab.AwaitText("#clock-part", "running")
}

// TestFaultPage injects a fault with a form that says in words what it will do, and sees
// it hit a call.
func TestFaultPage(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewNamedTenant("faulty", `{}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/faulty/control?view=faults")
	tab.Inspect("empty")
	const words = "The next 2 calls of GET /hooks respond with status 503."
	tab.Run(chromedp.SendKeys("#c-route", "GET /hooks", chromedp.ByQuery), chromedp.SendKeys("#c-status", "503", chromedp.ByQuery), chromedp.SendKeys("#c-times", "2", chromedp.ByQuery))
	tab.AwaitText("#call-fault-words", words)
	tab.Click("#call-fault button")
	tab.AwaitText("#faults", words)
	tenant.Do("GET /hooks", "").Want(t, http.StatusServiceUnavailable)
	tab.AwaitText("#faults", "The next call of GET /hooks responds with status 503.")
	tab.Inspect("hit")
	tab.Click("#faults button")
	tab.AwaitText("#faults", "No faults")
	tenant.Do("GET /hooks", "").Want(t, http.StatusOK)

	// Without scripts, the preview is a page of its own.
	preview := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/tenants/faulty/control?view=faults&delivery=*&drop%3Abool=true&times%3Anumber=1"})
	if !strings.Contains(preview.Body, "The next delivery of any event is retried whatever the response.") {
		t.Errorf("preview: %s", preview.Body)
	}
}

// TestClientsPage creates a client, rotates its secret, takes a permission away and
// revokes it. Its secrets are shown once.
func TestClientsPage(t *testing.T) {
	s := servertest.New(t)
	s.NewNamedTenant("staff", `{}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/staff/control?view=clients")
	tab.Click("#clients-part tr summary.danger")
	tab.AwaitText("#clients-part tr form", "will be refused. This cannot be undone.")
	tab.Inspect("clients")
	token := func(secret string) servertest.Response {
		return s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("staff-reader", secret)}})
	}
	tab.Fill("#n-id", "staff-reader")
	tab.Click("form:has(#n-id) button")
	tab.AwaitText("#result", "Client staff-reader created")
	secret := tab.Text("#result dd:nth-of-type(2) code")
	token(secret).Want(t, http.StatusOK)
	tab.AwaitText("#clients-part", "staff-reader")
	tab.Inspect("created")

	row := "#clients-part details:has([action$='/staff-reader'])"
	tab.Click(row + " summary")
	tab.Click(row + " form[action$='/rotate'] button")
	tab.AwaitText("#result", "Secret of staff-reader rotated")
	rotated := tab.Text("#result dd:nth-of-type(2) code")
	token(rotated).Want(t, http.StatusOK)
	token(secret).Want(t, http.StatusOK)

	tab.Go("/tenants/staff/control?view=clients")
	tab.Click(row + " summary")
	tab.Click(row + " [value='::data/v2:get']")
	tab.Click(row + " form button")
	tab.AwaitTrue(`selector => !document.querySelector(selector).checked`, row+" [value='::data/v2:get']")
	for _, client := range s.Control("GET /tenants/staff/clients", "").Want(t, http.StatusOK).Get(t, "clients").([]any) {
		held := client.(map[string]any)["permissions"].([]any)
		if lacks := len(held) < 10; lacks != (client.(map[string]any)["client_id"] == "staff-reader") && lacks {
			t.Errorf("client %v", client)
		}
	}
	tab.Go("/tenants/staff/control?view=clients")
	tab.Click(row + " summary")
	tab.Click(row + " summary.danger")
	tab.Click(row + " button.danger")
	tab.AwaitTrue(`() => !document.querySelector('#clients-part').innerText.includes('staff-reader')`)
	token(rotated).Want(t, http.StatusUnauthorized)

	tab.Click("form:has(#k-key) button")
	tab.AwaitText("#result", "API key added")
}

// TestSettingsAndOutcomesPages changes settings and sets an outcome.
func TestSettingsAndOutcomesPages(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewNamedTenant("set-up", `{}`)
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/set-up/control?view=settings")
	tab.Inspect("settings")
	tab.Fill("#p-polls", "3")
	tab.Click("form:has(#p-polls) button")
	tab.AwaitText("#pacing-heading", "polls")
	tab.Fill("#s-webhooks", "collect")
	tab.Click("[type=checkbox][name='trailing_whitespace:bool']")
	tab.Click("form:has(#s-webhooks) button")
	tab.AwaitTrue(`() => document.querySelector('#s-webhooks').value == 'collect'`)
	servertest.Until(t, "the settings are saved", func() bool {
		settings := tenant.Control("GET /settings", "").Want(t, http.StatusOK)
		return settings.Get(t, "pacing", "per_state") == 3.0 && settings.Text(t, "webhooks") == "collect" && settings.Get(t, "trailing_whitespace") == true
	})

	tab.Go("/tenants/set-up/control?view=outcomes")
	tab.Inspect("no-outcomes")
	tab.Expect("status of 400")
	tab.Click("form:has(#o-file) button")
	tab.AwaitText("#notice", "match is required")
	tab.Fill("#o-file", "*.pdf")
	tab.Fill("#o-facts", `{"company_name":"Foxglove Bakery LLC"}`)
	tab.AwaitText("#outcome-words", "A submission whose file name matches *.pdf has the given facts (1).")
	tab.Click("form:has(#o-file) button")
	tab.AwaitText("main .scroll + details", "Delete all outcomes")
	tab.AwaitText("main tbody th", "A submission whose file name matches *.pdf has the given facts (1).")
	tab.Inspect("outcomes")
	tenant.Control("PUT /outcomes", `{"match":{"filename":"a&b \"c\" <d>.txt","company_name":"50% & more"},"status":"Failed"}`).Want(t, http.StatusOK)
	tab.Go("/tenants/set-up/control?view=outcomes")
	tab.AwaitText("main", "50% & more")
	tab.Click("main tbody form button") // of the newest
	tab.AwaitTrue(`() => document.querySelectorAll('main tbody form').length === 1`)
	if left := tenant.Control("GET /outcomes", "").Want(t, http.StatusOK); len(left.Get(t, "outcomes").([]any)) != 1 || !strings.Contains(left.Body, "*.pdf") {
		t.Errorf("after the deletion of one: %s", left.Body)
	}
}

// TestLargeConfiguration downloads a configuration that is too large for a page, and
// uploads it as a file; a larger file than the control API accepts is refused.
func TestLargeConfiguration(t *testing.T) {
	s := servertest.New(t)
	source, target := s.NewNamedTenant("source", `{}`), s.NewNamedTenant("target", `{}`)
	for i := range 6 {
		source.Control("PUT /outcomes", fmt.Sprintf(`{"match":{"filename":"%d"},"raw":true,"facts":{"company_name":"%s"}}`, i, strings.Repeat("x", 900_000))).Want(t, http.StatusOK)
	}
	exported := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/call/tenants/source/configuration?_download=source.json"}).Want(t, http.StatusOK)
	if want := source.Control("GET /configuration", "").Want(t, http.StatusOK).Body; len(want) < 5<<20 || exported.Body != want {
		t.Fatalf("downloaded %d bytes, want %d", len(exported.Body), len(want))
	}
	upload := func(content string) servertest.Response {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for name, value := range map[string]string{"_method": "PUT", "_show": "imported", ":json": content} {
			part, err := form.CreateFormFile(name, "a.json") // a file field or any other: the value is the content
			if err != nil {
				t.Fatal(err)
			}
			part.Write([]byte(value)) // a Buffer returns no error
		}
		form.Close()
		return s.DoWith(http.DefaultClient, servertest.Call{
			Line: "POST " + origin(s) + "/call/tenants/target/configuration", Body: body.String(), Header: map[string]string{"Content-Type": form.FormDataContentType()},
		})
	}
	if imported := upload(exported.Body).Want(t, http.StatusOK); !strings.Contains(imported.Body, "Configuration imported") {
		t.Errorf("imported: %s", imported.Body)
	}
	if got := target.Control("GET /outcomes", "").Want(t, http.StatusOK); len(got.Get(t, "outcomes").([]any)) != 6 {
		t.Error("the outcomes are not imported")
	}
	if refused := upload(`"` + strings.Repeat("x", 16<<20) + `"`); refused.Status != http.StatusRequestEntityTooLarge || !strings.Contains(refused.Body, "The form is larger than 16.8 MB.") {
		t.Errorf("too large: %d %.1000s", refused.Status, refused.Body)
	}
}

// TestConfigurationPages exports a configuration, imports it into another tenant, and
// resets and deletes that one after its name was entered.
func TestConfigurationPages(t *testing.T) {
	s := servertest.New(t)
	source := s.NewNamedTenant("source", `{"webhooks":"collect"}`)
	target := s.NewNamedTenant("target", `{}`)
	source.Control("POST /hooks", `{"url":"http://127.0.0.1:9/a","events":["*"],"secret":"s"}`).Want(t, http.StatusCreated)
	exported := s.DoWith(http.DefaultClient, servertest.Call{Line: "GET " + origin(s) + "/call/tenants/source/configuration?_download=source.json"}).Want(t, http.StatusOK)
	if got := exported.Header.Get("Content-Disposition"); got != "attachment; filename*=UTF-8''source.json" {
		t.Errorf("Content-Disposition %q", got)
	}
	tab := consoletest.Open(t, s)
	tab.Go("/tenants/target/control?view=tenant")
	tab.Inspect("tenant")
	tab.Fill("#configuration", exported.Body)
	tab.Click("form:has(#configuration) [type=checkbox]")
	tab.Click("form:has(#configuration) button")
	tab.AwaitText("#result", "Configuration imported")
	tab.AwaitText("#result", "hooks[0].secret")
	tab.Inspect("imported")
	if got := target.Control("GET /settings", "").Want(t, http.StatusOK).Text(t, "webhooks"); got != "collect" {
		t.Errorf("webhooks %q", got)
	}
	tab.Go("/tenants/target/control?view=tenant")
	tab.Attach("#configuration-file", "changed.json", []byte(strings.Replace(exported.Body, `"collect"`, `"send"`, 1)))
	tab.Click("form:has(#configuration-file) [type=checkbox]")
	tab.Click("form:has(#configuration-file) button")
	tab.AwaitText("#result", "Configuration imported")
	if got := target.Control("GET /settings", "").Want(t, http.StatusOK).Text(t, "webhooks"); got != "send" {
		t.Errorf("webhooks %q after the import of a file", got)
	}
	tab.Expect("status of 400")
	tab.Attach("#configuration-file", "broken.json", []byte(`{"settings"`))
	tab.Click("form:has(#configuration-file) button")
	tab.AwaitText("#notice", "this is not valid JSON")
	tab.Fill("#reset-name", "another")
	tab.Click("form:has(#reset-name) button") // the browser refuses to send it
	target.Control("GET /hooks", "").Want(t, http.StatusOK)
	tab.Fill("#reset-name", "target")
	tab.Click("form:has(#reset-name) button")
	servertest.Until(t, "the tenant is reset", func() bool {
		return len(target.Control("GET /hooks", "").Want(t, http.StatusOK).Get(t, "hooks").([]any)) == 0
	})
	tab.Go("/tenants/target/control?view=tenant")
	tab.Fill("#delete-name", "target")
	tab.Click("form:has(#delete-name) button")
	tab.AwaitText("h1", "Overview")
	s.Control("GET /tenants/target", "").Want(t, http.StatusNotFound)
}
