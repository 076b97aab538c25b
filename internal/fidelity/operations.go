package fidelity

import (
	"net/http"
	"regexp"
	"slices"
)

// is an answer whose status code and body are equally sure.
func is(status int, label Label, note string) Answer {
	return Answer{Status: status, Label: label, Body: label, Note: note}
}

// answers puts an operation's answers in the order of their status codes.
func answers(of ...[]Answer) []Answer {
	return slices.SortedStableFunc(slices.Values(slices.Concat(of...)), func(a, b Answer) int { return a.Status - b.Status })
}

func these(of ...Answer) []Answer { return of }

// gateway are the refusals of all submit, status, data and company calls.
var gateway = these(
	is(http.StatusUnauthorized, Chosen, "no token, or a bad, expired or revoked one"),
	is(http.StatusForbidden, Chosen, "permission or x-api-key"),
	Answer{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "setting rate_limit", Note: "off unless set"},
	is(http.StatusInternalServerError, Chosen, "the emulator's own fault"),
	is(http.StatusServiceUnavailable, Chosen, "the database is away"),
)

// hooksGateway are the refusals of all webhook calls, the same in each.
var hooksGateway = these(
	is(http.StatusForbidden, Chosen, "the permission strings ::hooks:… are chosen too"),
	Answer{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "setting rate_limit", Note: "off unless set"},
	is(http.StatusServiceUnavailable, Chosen, "the database is away"),
)

// hooksGate adds the two that the specification has for some calls.
func hooksGate(unauthorized, fault Label) []Answer {
	return append(slices.Clone(hooksGateway),
		Answer{Status: http.StatusUnauthorized, Label: unauthorized, Body: Chosen, Note: "no token, or a bad, expired or revoked one"},
		Answer{Status: http.StatusInternalServerError, Label: fault, Body: Chosen, Note: "the emulator's own fault"},
	)
}

// hooksBody are the refusals of what a webhook call carries.
var hooksBody = these(
	Answer{Status: http.StatusBadRequest, Label: Stated, Body: Chosen, Note: "a key given twice is chosen"},
	is(http.StatusRequestEntityTooLarge, Chosen, ""),
	Answer{Status: http.StatusUnprocessableEntity, Label: Stated, Body: Chosen, Cases: []Case{
		{What: "the url is blank or missing", Label: Stated, said: regexp.MustCompile(`^\{"url":\["can't be blank"\]\}$`)},
		{What: "the header is no pair", Label: Stated, said: regexp.MustCompile(`^\{"header":\["colon separated key value pair"\]\}$`)},
	}},
)

func hookUnknown(label Label) []Answer {
	return these(Answer{Status: http.StatusNotFound, Label: label, Body: Chosen, Note: notFound})
}

var jsonBody = these(
	is(http.StatusBadRequest, Chosen, "a missing field, or malformed JSON"),
	is(http.StatusRequestEntityTooLarge, Chosen, ""),
)

const (
	knownByName = "named by its permission string alone"
	healthNote  = "the emulator's own; not part of the service"
	notFound    = "unknown, malformed and another tenant's alike"
)

// operations are all that cmd/server/openapi.yaml has.
var operations = slices.Concat(basis, submitVersions(), dataVersions, namesOnly, webhooks, own)

// basis are the operations that the specification shows, webhooks aside.
var basis = []Operation{
	{"POST /auth/token", Stated, "", answers(these(
		Answer{Status: http.StatusOK, Label: Stated, Body: Stated, Note: "Basic credentials, grant_type in the query", Cases: []Case{
			{What: "grant_type=refresh_token", Label: Chosen, asked: regexp.MustCompile(`refresh_token`)},
			{What: "form fields, urlencoded or in parts", Label: Public, asked: regexp.MustCompile(`\n(?s:.*)grant_type`)},
		}},
		is(http.StatusBadRequest, Chosen, "RFC 6749, section 5.2"),
		is(http.StatusUnauthorized, Chosen, "RFC 6749, section 5.2"),
		is(http.StatusMethodNotAllowed, Chosen, ""),
		is(http.StatusRequestEntityTooLarge, Chosen, ""),
		is(http.StatusInternalServerError, Chosen, "the emulator's own fault"),
		is(http.StatusServiceUnavailable, Chosen, "the database is away"),
	))},
	{"POST /universal/v2/universal-submit/file-upload-url", Stated, "", uploadURL},
	{"PUT /file-transfer/upload-file", Stated, "", answers(these(
		Answer{Status: http.StatusOK, Label: Stated, Body: Stated, Note: "again before the trigger replaces the file (chosen)"},
		is(http.StatusBadRequest, Chosen, ""),
		is(http.StatusForbidden, Chosen, "that the address ends after 5 minutes is stated"),
		is(http.StatusConflict, Chosen, "after the trigger"),
		Answer{Status: http.StatusRequestEntityTooLarge, Label: Chosen, Body: Chosen, Switch: "MAX_UPLOAD_BYTES"},
		is(http.StatusUnsupportedMediaType, Chosen, ""),
		is(http.StatusInternalServerError, Chosen, "the emulator's own fault"),
		is(http.StatusServiceUnavailable, Chosen, "the database is away"),
	))},
	{"POST /universal/v2/universal-submit/file/{tx_id}", Stated, "", trigger},
	{"GET /universal/v2/universal-submit/status/{tx_id}", Stated, "", status},
	{"GET /data/v2/{dp_id}/{tx_id}", Stated, "", answers(gateway, these(
		is(http.StatusOK, Stated, "idType=sov with a company package answers from the location package (stated sample)"),
		is(http.StatusBadRequest, Chosen, "idType is missing or unknown"),
		is(http.StatusNotFound, Chosen, notFound),
		is(http.StatusConflict, Chosen, "not finished, or failed"),
	))},
	{"GET /data/v1/{dp_id}/{report_id}", Stated, "", answers(gateway, these(
		is(http.StatusOK, Stated, "the report of a submission in place of a company's is chosen"),
		is(http.StatusNotFound, Chosen, notFound),
	))},
	{"POST /company/v1/company_submit", Stated, "", answers(gateway, jsonBody, these(is(http.StatusOK, Stated, "")))},
}

// submitVersions are the other versions of universal submit. That versions 1
// and 3 exist is stated, version 4 is public.
func submitVersions() []Operation {
	var list []Operation
	for _, v := range []struct {
		name   string
		label  Label
		status []Answer
	}{{"v1", Stated, alike(status)}, {"v3", Stated, alike(status)}, {"v4", Public, statusV4}} {
		base := " /universal/" + v.name + "/universal-submit"
		list = append(list,
			Operation{"POST" + base + "/file-upload-url", v.label, asVersion2, alike(uploadURL)},
			Operation{"POST" + base + "/file/{tx_id}", v.label, asVersion2, alike(trigger)},
			Operation{"GET" + base + "/status/{tx_id}", v.label, "", v.status})
	}
	for _, v := range []string{"v3", "v4"} {
		list = append(list, Operation{"POST /universal/" + v + "/universal-submit/file", Public, "", answers(gateway, these(
			Answer{Status: http.StatusOK, Label: Public, Body: Chosen, Note: "the answer is the trigger's"},
			is(http.StatusBadRequest, Chosen, ""),
			is(http.StatusRequestEntityTooLarge, Chosen, "that 10 MB and more go another way is stated"),
			is(http.StatusUnsupportedMediaType, Chosen, ""),
		))})
	}
	return list
}

const asVersion2 = "answered as version 2, which is chosen"

// alike are answers taken over from the version that is shown.
func alike(of []Answer) []Answer {
	list := slices.Clone(of)
	for i := range list {
		list[i].Label, list[i].Body = Chosen, Chosen
	}
	return list
}

var statusV4 = answers(gateway, these(
	is(http.StatusOK, Public, "the two keys and their words are public; that tx_status is Scheduled from the start is chosen"),
	is(http.StatusNotFound, Chosen, notFound),
))

var dataAnswers = answers(gateway, these(
	is(http.StatusOK, Public, ""),
	is(http.StatusNotFound, Chosen, notFound),
	is(http.StatusConflict, Chosen, "not finished, or failed"),
))

// dataVersions are the later versions of the inquiry, and the quick submit.
var dataVersions = []Operation{
	{"GET /data/v3/{dp_id}/{tx_id}", Public, "", dataAnswers},
	{"GET /data/v4/{dp_id}/{tx_id}", Public, "", dataAnswers},
	{"GET /data/v5/{dp_id}/{tx_id}", Public, "", dataAnswers},
	{"POST /company/v1/quick_submit", Public, "", answers(gateway, jsonBody, these(
		is(http.StatusOK, Chosen, ""),
		is(http.StatusNotFound, Chosen, notFound),
	))},
}

// namesOnly are operations of which only the name is known.
var namesOnly = []Operation{
	{"POST /location/v1/location_submit", Stated, knownByName, answers(gateway, these(is(http.StatusNotImplemented, Chosen, "")))},
	{"GET /audit/v1/report/{report}", Stated, knownByName, answers(gateway, these(is(http.StatusNotImplemented, Chosen, "")))},
}

var webhooks = []Operation{
	{"GET /hooks", Public, "", answers(hooksGate(Chosen, Chosen), these(is(http.StatusOK, Public, "oldest first is chosen")))},
	{"POST /hooks", Stated, "", answers(hooksGate(Stated, Stated), hooksBody, these(is(http.StatusCreated, Stated, "")))},
	{"GET /hooks/{hook_id}", Public, "", answers(hooksGate(Chosen, Chosen), hookUnknown(Chosen), these(is(http.StatusOK, Public, "")))},
	{"PUT /hooks/{hook_id}", Stated, "", hookUpdate},
	{"PATCH /hooks/{hook_id}", Stated, "", hookUpdate},
	{"DELETE /hooks/{hook_id}", Public, "", answers(hooksGate(Chosen, Chosen), hookUnknown(Public), these(is(http.StatusNoContent, Public, "")))},
	{"GET /hooks/{hook_id}/requests", Public, "", answers(hooksGate(Chosen, Chosen), hookUnknown(Chosen), these(
		is(http.StatusOK, Public, "newest first, at most 100"),
	))},
	{"POST /hooks/{hook_id}/requests/{request_id}/redeliver", Public, "", answers(hooksGate(Chosen, Chosen), hookUnknown(Chosen), these(
		is(http.StatusCreated, Chosen, ""),
		is(http.StatusUnprocessableEntity, Chosen, "the subscription is off"),
	))},
}

var hookUpdate = answers(hooksGate(Stated, Chosen), hooksBody, hookUnknown(Stated), these(is(http.StatusOK, Stated, "")))

// own are the emulator's, not the service's.
var own = []Operation{
	{"GET /livez", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""))},
	{"GET /readyz", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""), is(http.StatusServiceUnavailable, Chosen, ""))},
	{"GET /openapi.yaml", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""))},
	{"GET /docs", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""))},
	{"GET /docs/{file}", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""), is(http.StatusForbidden, Chosen, "no file of the page: an unknown route"))},
}

// What the versions of universal submit answer alike.
var (
	uploadURL = answers(gateway, jsonBody, these(is(http.StatusOK, Stated, "")))
	trigger   = answers(gateway, these(
		is(http.StatusOK, Stated, "again, at any time, answers the same bytes (chosen)"),
		is(http.StatusNotFound, Chosen, notFound),
		is(http.StatusConflict, Chosen, "no complete upload yet"),
	))
	status = answers(gateway, these(
		Answer{Status: http.StatusOK, Label: Stated, Body: Stated, Switch: "setting status_vocabulary", Note: "both vocabularies are stated; which one comes when is chosen; Pending before the trigger is chosen"},
		is(http.StatusNotFound, Chosen, notFound),
	))
)
