package console_test

import (
	"testing"

	"understudy.example/internal/console/consoletest"
	"understudy.example/internal/server/servertest"
)

// TestReferencePages opens the reference of both APIs.
func TestReferencePages(t *testing.T) {
	s := servertest.New(t)
	tab := consoletest.Open(t, s)
	tab.Go("/docs?tenant=acme")
	tab.AwaitText("#checks", "Order of checks")
	tab.Click(".operation summary")
	tab.AwaitText(".operation[open]", "Responses")
	tab.Inspect("emulated")
	tab.Click(`.tabs a[href^="/docs/control"]`)
	tab.AwaitText("main", "/control/v1/tenants/{t}/overview")
	tab.Inspect("control")
}

// TestTryCalls gets a token on the page of the API listener and makes a call with it.
func TestTryCalls(t *testing.T) {
	s := servertest.New(t)
	tab := consoletest.Open(t, s)
	tab.Origin = s.URL
	tab.Go("/docs")
	tab.Inspect("api")
	tab.Click("#credentials button")
	tab.AwaitText("#message", "now sent with every call")
	tab.Click(`.operation:has([id="createUploadURL"]) > summary`)
	tab.Click(`[id="createUploadURL"] .try-it summary`)
	tab.Fill(`[id="createUploadURL"] textarea`, `{"filename":"<img src=x onerror=alert(1)>.txt"}`)
	tab.Click(`[id="createUploadURL"] .try button`)
	tab.AwaitText(`[id="createUploadURL"] .try output`, `"tx_id"`)
	tab.Expect("status of 400")
	tab.Fill(`[id="createUploadURL"] textarea`, `{}`)
	tab.Click(`[id="createUploadURL"] .try button`)
	tab.AwaitText(`[id="createUploadURL"] .try output`, "filename is required")
}
