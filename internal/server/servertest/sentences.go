package servertest

import (
	"slices"
	"strings"
)

// section is a section of the specification.
type section struct {
	name      string
	sentences []statement
}

// statement is what a section says about something. The packages are separated by
// spaces.
type statement struct{ about, packages string }

// sentence is something that the specification states, or that was chosen where it
// is silent.
type sentence struct {
	name     string   // "Section: sentence"
	packages []string // below internal; their tests must record it with Proves
}

// sentences returns the statements of the specification, in its order, and those that
// were chosen where it says nothing.
func sentences() []sentence {
	var all []sentence
	for _, section := range slices.Concat(specification, chosenProcess, chosenSubmit, chosenData, chosenControl) {
		for _, s := range section.sentences {
			all = append(all, sentence{section.name + ": " + s.about, strings.Fields(s.packages)})
		}
	}
	return all
}

var specification = []section{
	{"What the service does", []statement{
		{"1 tokens by client credentials", "auth server"},
		{"2 upload URL, upload, trigger", "server"},
		{"2 an email, a Word document, a PDF, a spreadsheet", "server"},
		{"2 poll the status, then read the data", "server"},
		{"3 a name and an address return two report ids", "company"},
		{"3 the company is read by report id", "server data"},
		{"4 three kinds of inquiry", "data"},
		{"5 a tenant creates and updates subscriptions", "hooks"},
		{"5 payloads are delivered to a URL of its choice", "hooks/delivery"},
		{"6 subscriptions are edited by the API only", "control"},
		{"7 credentials and hosts of each environment", "server"},
		{"7 a token of another environment is rejected", "server"},
	}},
	{"Resources, conventions", []statement{
		{"timestamps", "server"},
		{"unknown data", "server data"},
		{"indicators", "server"},
		{"scores", "server"},
	}},
	{"Access token response", []statement{
		{"access_token", "server"},
		{"token_type", "server"},
		{"expires_in", "server"},
		{"refresh_token", "server"},
		{"scope", "server"},
		{"uid", "server"},
		{"info", "server"},
		{"extra.raw_info", "server auth"},
		{"permission strings", "server universal data company"},
		{"the set differs by client", "server auth"},
	}},
	{"Upload-URL response", []statement{
		{"tx_id", "server"},
		{"upload_url", "server universal"},
	}},
	{"Upload response", []statement{
		{"data", "server universal"},
	}},
	{"Universal submit response", []statement{
		{"its fields", "server"},
		{"its initial status", "server"},
	}},
	{"Status response", []statement{
		{"its fields", "server"},
		{"c_report_id once completed", "server universal"},
		{"l_report_id once completed", "server universal"},
	}},
	{"Data inquiry response, company data for a transaction", []statement{
		{"top level", "server data"},
		{"seed_input", "server"},
		{"cleansed_input", "server"},
		{"facts: identity", "server"},
		{"facts: classification", "server"},
		{"facts: status and finance", "server"},
		{"facts: geography", "server"},
		{"facts: indicators", "server"},
		{"facts: places of work", "server"},
		{"options", "server"},
		{"scores", "server"},
	}},
	{"Data inquiry response, location data for a transaction", []statement{
		{"top level, an element per location", "server"},
		{"each element", "server"},
		{"facts", "server"},
		{"options", "server"},
	}},
	{"Company submit request and response", []statement{
		{"the request", "server"},
		{"both fields are expected", "company"},
		{"the response", "server"},
	}},
	{"Data inquiry response, company data by report id", []statement{
		{"top level", "server"},
		{"cleansed_input", "server"},
		{"data", "server"},
		{"company_id is the report id", "server"},
		{"scores", "server"},
	}},
	{"Webhook subscription, fields", []statement{
		{"id, owner_id, tenant_id, created_at, updated_at", "hooks"},
		{"active", "hooks"},
		{"confirmed is false", "hooks"},
		{"events", "hooks"},
		{"config.url", "hooks hooks/delivery"},
		{"config.header", "hooks hooks/delivery"},
		{"config.secret comes back empty", "hooks"},
	}},
	{"Transaction status", []statement{
		{"two vocabularies", "server"},
		{"a trigger sets Submission_in_progress", "server universal"},
		{"Submission_in_progress to Scheduled", "server"},
		{"Scheduled to Started", "server"},
		{"Started to Completed", "server"},
		{"Completed: report ids are present, data can be read", "server"},
		{"Started to Failed", "server universal"},
		{"Pending to Started", "server"},
		{"Started to Succeeded", "server"},
		{"Started to Failed when polled", "server"},
		{"data can be read after a final state", "server"},
	}},
	{"Webhook subscription, states", []statement{
		{"created inactive", "hooks"},
		{"created active, with events", "hooks"},
		{"activated", "hooks"},
		{"deactivated", "hooks"},
		{"receives events only with a URL, a matching event and active", "hooks"},
		{"not active without an event", "hooks"},
	}},
	{"Endpoints, all", []statement{
		{"the bearer token", "server hooks"},
		{"x-api-key", "server auth"},
		{"JSON bodies", "server"},
	}},
	{"Endpoint 1, token", []statement{
		{"method, path, grant_type", "auth"},
		{"Basic credentials, no body", "server"},
		{"response", "auth"},
	}},
	{"Endpoint 2, upload URL", []statement{
		{"method and path", "universal"},
		{"body and response", "server universal"},
	}},
	{"Endpoint 3, upload", []statement{
		{"PUT to the exact URL, without credentials", "server"},
		{"one part named file", "server universal"},
		{"valid 5 minutes", "server universal"},
	}},
	{"Endpoint 4, trigger", []statement{
		{"method and path, no body", "server universal"},
		{"response", "server"},
	}},
	{"Endpoint 5, status", []statement{
		{"method, path, response", "server"},
	}},
	{"Endpoint 6, company data of a transaction", []statement{
		{"method, path, idType", "data"},
		{"dp_id and tx_id", "data server"},
	}},
	{"Endpoint 7, location data of a transaction", []statement{
		{"method, path, idType", "data"},
		{"the response has the location package", "server"},
	}},
	{"Endpoint 8, company submit", []statement{
		{"method, path, body, response", "company"},
	}},
	{"Endpoint 9, data by report id", []statement{
		{"report_id is the c_report_id", "server"},
	}},
	{"Endpoint 10, create a subscription", []statement{
		{"url, required and not blank", "hooks"},
		{"active, false by default, needs an event", "hooks"},
		{"events", "hooks"},
		{"header", "hooks"},
		{"secret", "hooks"},
		{"201 with the subscription", "hooks"},
	}},
	{"Endpoint 11, update a subscription", []statement{
		{"PUT and PATCH", "hooks"},
		{"hook_id", "hooks"},
		{"only changes need to be sent", "hooks"},
		{"200 with the subscription", "hooks"},
	}},
	{"Authentication", []statement{
		{"1 what a customer receives", "server"},
		{"2 Basic authentication for tokens", "server auth"},
		{"3 bearer, 12 hours, then refresh or a new token", "server auth"},
		{"4 the same environment", "server"},
		{"5 x-api-key", "server auth"},
		{"6 webhooks need a token with permissions", "hooks"},
		{"7 X-Signature and one static header", "hooks/delivery"},
	}},
	{"Events", []statement{
		{"1 delivered to the URL of a matching active subscription", "hooks"},
		{"1 subject, subject:action or *", "hooks"},
		{"2 stops with active false", "hooks/delivery"},
		{"3 header and secret are used", "hooks/delivery"},
	}},
	{"Errors, webhooks", []statement{
		{"200 update", "hooks"},
		{"201 create", "hooks"},
		{"400 malformed JSON", "hooks"},
		{"401 credentials", "hooks"},
		{"404 unknown hook_id", "hooks"},
		{"422 validation", "hooks"},
		{"500 internal server error", "fault"},
		{"422 header", "hooks"},
		{"422 url", "hooks"},
	}},
	{"Limits", []statement{
		{"access token, 12 hours", "server"},
		{"upload URL, 5 minutes", "server"},
		{"large files", "server universal"},
	}},
	{"Versioning", []statement{
		{"1 a path segment, none for webhooks", "server"},
		{"2 more versions in the permission strings", "server universal data"},
		{"3 environments", "server"},
	}},
}
