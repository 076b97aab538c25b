package servertest

import (
	"strings"
	"testing"

	"understudy.example/internal/route"
)

// Absent is an id that nothing has.
const Absent = "01a1fc02-6c63-7e62-899d-76dbc92c035e"

// Lines of calls that many tests make.
const (
	GetToken      = "POST /auth/token?grant_type=client_credentials"
	GetUploadURL  = "POST /universal/v2/universal-submit/file-upload-url"
	SubmitCompany = "POST /company/v1/company_submit"
)

// Responses that many calls have.
const (
	Unauthorized        = `{"message":"Unauthorized"}`
	NotPermitted        = `{"message":"User is not authorized to access this resource"}`
	Forbidden           = `{"message":"Forbidden"}`
	UnknownRoute        = `{"message":"Missing Authentication Token"}`
	TransactionNotFound = `{"message":"Transaction not found"}`
)

// Sample returns a call of the route that passes every check before its object
// is looked up: for that it names ids that do not exist.
func Sample(t testing.TB, rt route.Route) Call {
	path := strings.NewReplacer(
		"{tx_id}", Absent, "{dp_id}", "acme-us-c0001", "{report_id}", "CUS1187A2AAE214E4540",
		"{hook_id}", Absent, "{request_id}", Absent, "*", "CUS1187A2AAE214E4540",
	).Replace(rt.Path)
	c := Call{Line: rt.Method + " " + path}
	switch rt.Operation {
	case route.CreateToken:
		c.Line += "?grant_type=client_credentials"
	case route.CreateUploadURL:
		c.Body = `{"filename":"a.txt"}`
	case route.SubmitFile:
		var contentType string
		contentType, c.Body = Form(t, Part{"file", "a.txt", Letter})
		c.Header = map[string]string{"Content-Type": contentType}
	case route.ReadData:
		if rt.Version == "v2" {
			c.Line += "?idType=transaction"
		}
	case route.SubmitCompany:
		c.Body = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	case route.QuickSubmitCompany:
		c.Line += "?dpid=acme-us-c0001"
		c.Body = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	case route.CreateHook, route.UpdateHook:
		c.Body = `{"url":"https://example.com/events"}`
	}
	return c
}

// Gated returns the routes of the family that ask for a permission.
func Gated(family route.Family) []route.Route {
	var gated []route.Route
	for _, rt := range route.API {
		if rt.Family == family && rt.Permission != "" {
			gated = append(gated, rt)
		}
	}
	return gated
}

// Refused makes the call, wants the refusal, and checks that it changed nothing.
func (s *Server) Refused(t *testing.T, c Call, status int, body string) (response Response) {
	t.Helper()
	s.Unchanged(t, func() { response = s.Do(c).Want(t, status, body) })
	return response
}
