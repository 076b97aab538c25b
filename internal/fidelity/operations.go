package fidelity

import (
	"net/http"
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
	Answer{Status: http.StatusTooManyRequests, Label: Public, Body: Public, Switch: "setting rate_limit", Note: "off unless set; the limit itself is chosen"},
	is(http.StatusInternalServerError, Chosen, "the emulator's own fault"),
	is(http.StatusServiceUnavailable, Chosen, "the database is away"),
)

// hooksGate are the refusals of all webhook calls.
var hooksGate = these(
	Answer{Status: http.StatusUnauthorized, Label: Stated, Body: Chosen},
	is(http.StatusForbidden, Chosen, "the permission strings ::hooks:… are chosen too"),
	is(http.StatusTooManyRequests, Chosen, ""),
	Answer{Status: http.StatusInternalServerError, Label: Stated, Body: Chosen, Note: "the emulator's own fault"},
	is(http.StatusServiceUnavailable, Chosen, "the database is away"),
)

// hooksBody are the refusals of what a webhook call carries.
var hooksBody = these(
	Answer{Status: http.StatusBadRequest, Label: Stated, Body: Chosen, Note: "a key given twice is chosen"},
	is(http.StatusRequestEntityTooLarge, Chosen, ""),
	is(http.StatusUnprocessableEntity, Stated, "stated for url and header; the other fields are chosen"),
)

var hookUnknown = these(Answer{Status: http.StatusNotFound, Label: Stated, Body: Chosen})

var jsonBody = these(
	is(http.StatusBadRequest, Chosen, "a missing field, or malformed JSON"),
	is(http.StatusRequestEntityTooLarge, Chosen, ""),
)

const (
	healthNote = "the emulator's own; not part of the service"
	notFound   = "unknown, malformed and another tenant's alike"
)

// operations are all that cmd/server/openapi.yaml has.
var operations = []Operation{
	{"POST /auth/token", Stated, "", answers(these(
		is(http.StatusOK, Stated, "Basic credentials are stated, form fields public, refresh_token chosen"),
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

	{"GET /hooks", Public, "", answers(hooksGate, these(is(http.StatusOK, Public, "oldest first is chosen")))},
	{"POST /hooks", Stated, "", answers(hooksGate, hooksBody, these(is(http.StatusCreated, Stated, "")))},
	{"GET /hooks/{hook_id}", Public, "", answers(hooksGate, hookUnknown, these(is(http.StatusOK, Public, "")))},
	{"PUT /hooks/{hook_id}", Stated, "", answers(hooksGate, hooksBody, hookUnknown, these(is(http.StatusOK, Stated, "")))},
	{"PATCH /hooks/{hook_id}", Stated, "", answers(hooksGate, hooksBody, hookUnknown, these(is(http.StatusOK, Stated, "")))},
	{"DELETE /hooks/{hook_id}", Public, "", answers(hooksGate, hookUnknown, these(is(http.StatusNoContent, Public, "")))},
	{"GET /hooks/{hook_id}/requests", Public, "", answers(hooksGate, hookUnknown, these(is(http.StatusOK, Public, "")))},
	{"POST /hooks/{hook_id}/requests/{request_id}/redeliver", Public, "", answers(hooksGate, hookUnknown, these(
		is(http.StatusCreated, Chosen, ""),
		is(http.StatusUnprocessableEntity, Chosen, "the subscription is off"),
	))},

	{"GET /livez", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""))},
	{"GET /readyz", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""), is(http.StatusServiceUnavailable, Chosen, ""))},
	{"GET /openapi.yaml", Chosen, healthNote, these(is(http.StatusOK, Chosen, ""))},
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
