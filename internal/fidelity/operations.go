package fidelity

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"understudy.example/internal/route"
)

// response returns a response whose status code and body are equally certain.
func response(status int, label Label, note string) Response {
	return Response{Status: status, Label: label, Body: label, Note: note}
}

// sorted returns the responses of the lists in the order of their status codes.
func sorted(lists ...[]Response) []Response {
	return slices.SortedStableFunc(slices.Values(slices.Concat(lists...)), func(a, b Response) int { return a.Status - b.Status })
}

func list(of ...Response) []Response { return of }

// commonRefusals are the error responses of all submit, status, data and company
// calls.
var commonRefusals = list(
	response(http.StatusUnauthorized, Chosen, "the token is missing, invalid, expired or revoked"),
	response(http.StatusForbidden, Chosen, "the permission is missing, or x-api-key is invalid"),
	Response{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "tenant setting rate_limit", Note: "no limit unless set"},
	response(http.StatusInternalServerError, Chosen, "internal error of the emulator"),
	response(http.StatusServiceUnavailable, Chosen, "the database is unreachable or locked, or too many large responses are being read or too many large bodies are being sent at once"),
)

// commonHooksRefusals are the error responses that are equally certain for all
// webhook calls.
var commonHooksRefusals = list(
	response(http.StatusForbidden, Chosen, "the permission is missing; the permission strings ::hooks:… are chosen too"),
	Response{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "tenant setting rate_limit", Note: "no limit unless set"},
	response(http.StatusServiceUnavailable, Chosen, "the database is unreachable or locked"),
)

// hooksRefusals adds the two error responses that the specification has for some
// webhook calls only.
func hooksRefusals(unauthorized, internalError Label) []Response {
	return append(slices.Clone(commonHooksRefusals),
		Response{Status: http.StatusUnauthorized, Label: unauthorized, Body: Chosen, Note: "the token is missing, invalid, expired or revoked"},
		Response{Status: http.StatusInternalServerError, Label: internalError, Body: Chosen, Note: "internal error of the emulator"},
	)
}

// bodyTimeout is the response to a body that does not arrive in time.
var bodyTimeout = Response{Status: http.StatusRequestTimeout, Label: Chosen, Body: Chosen, Switch: "MIN_TRANSFER_RATE", Note: "nothing of the body arrived for 10 s, or it arrived more slowly than the minimum rate"}

// hooksBodyRefusals are the error responses to an invalid body of a webhook call.
var hooksBodyRefusals = list(
	Response{Status: http.StatusBadRequest, Label: Stated, Body: Chosen, Note: "a duplicate key is an error (chosen)"},
	bodyTimeout,
	response(http.StatusRequestEntityTooLarge, Chosen, ""),
	response(http.StatusUnsupportedMediaType, Chosen, "the body has a Content-Encoding"),
	Response{Status: http.StatusUnprocessableEntity, Label: Stated, Body: Chosen, Cases: []Case{
		{Description: "the url is blank or missing", Label: Stated, response: regexp.MustCompile(`^\{"url":\["can't be blank"\]\}$`)},
		{Description: "the header is not a name and a value with a colon between them", Label: Stated, response: regexp.MustCompile(`^\{"header":\["colon separated key value pair"\]\}$`)},
	}},
)

func hookNotFound(label Label) []Response {
	return list(Response{Status: http.StatusNotFound, Label: label, Body: Chosen, Note: notFound})
}

// bodyRefusals are the error responses to an invalid JSON body.
var bodyRefusals = list(
	response(http.StatusBadRequest, Chosen, "a field is missing or too long, or the JSON is malformed"),
	bodyTimeout,
	response(http.StatusRequestEntityTooLarge, Chosen, ""),
	response(http.StatusUnsupportedMediaType, Chosen, "the body has a Content-Encoding"),
)

const (
	knownByName = "known only from the permission strings"
	ownNote     = "part of the emulator, not of the emulated service"
	notFound    = "the same for an unknown id, a malformed id and another tenant's id"
)

// operations has an operation for each route of the API listener, in the order of
// the route lists.
var operations = listOperations(routes, entries)

// routes are the routes that the table covers.
var routes = slices.Concat(route.API, route.Own)

// entry is the part of the table for one route.
type entry struct {
	label     Label
	note      string
	responses []Response
}

// listOperations returns the operations of the routes. It panics unless each route
// has an entry and each entry a route.
func listOperations(routes []route.Route, entries map[string]entry) []Operation {
	operations := make([]Operation, len(routes))
	for i, rt := range routes {
		line := rt.Documented()
		e, ok := entries[line]
		if !ok {
			panic("fidelity: no entry for " + line)
		}
		operations[i] = Operation{line, e.label, e.note, e.responses}
	}
	if len(entries) != len(operations) {
		panic(fmt.Sprintf("fidelity: %d entries for %d routes", len(entries), len(operations)))
	}
	return operations
}

// entries holds the entry of each route, by method and path.
var entries = map[string]entry{
	"POST /auth/token": {Stated, "", sorted(list(
		Response{Status: http.StatusOK, Label: Stated, Body: Stated, Note: "Basic credentials, grant_type in the query", Cases: []Case{
			{Description: "grant_type=refresh_token", Label: Chosen, request: regexp.MustCompile(`refresh_token`)},
			{Description: "form fields, urlencoded or multipart", Label: Public, request: regexp.MustCompile(`\n(?s:.*)grant_type`)},
		}},
		response(http.StatusBadRequest, Chosen, "RFC 6749, section 5.2"),
		response(http.StatusUnauthorized, Chosen, "RFC 6749, section 5.2"),
		response(http.StatusMethodNotAllowed, Chosen, ""),
		bodyTimeout,
		response(http.StatusRequestEntityTooLarge, Chosen, ""),
		Response{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "PROFILE", Note: "more than ten wrong secrets in a minute, only in profile uat"},
		response(http.StatusInternalServerError, Chosen, "internal error of the emulator"),
		response(http.StatusServiceUnavailable, Chosen, "the database is unreachable or locked"),
	))},
	"POST /universal/v2/universal-submit/file-upload-url": {Stated, "", uploadURL},
	"PUT /file-transfer/upload-file": {Stated, "", sorted(list(
		Response{Status: http.StatusOK, Label: Stated, Body: Stated, Note: "another upload before the trigger replaces the file (chosen)"},
		response(http.StatusBadRequest, Chosen, ""),
		response(http.StatusForbidden, Chosen, "the URL expires after 5 minutes (stated)"),
		response(http.StatusConflict, Chosen, "processing was already triggered"),
		bodyTimeout,
		Response{Status: http.StatusRequestEntityTooLarge, Label: Chosen, Body: Chosen, Switch: "MAX_UPLOAD_BYTES"},
		response(http.StatusUnsupportedMediaType, Chosen, ""),
		Response{Status: http.StatusTooManyRequests, Label: Chosen, Body: Chosen, Switch: "tenant settings max_upload_bytes and max_stored_bytes", Note: "no quotas unless set"},
		response(http.StatusInternalServerError, Chosen, "internal error of the emulator"),
		response(http.StatusServiceUnavailable, Chosen, "the database is unreachable or locked, or the object store is full, read-only, unreachable or misconfigured"),
	))},
	"POST /universal/v2/universal-submit/file/{tx_id}":  {Stated, "", trigger},
	"GET /universal/v2/universal-submit/status/{tx_id}": {Stated, "", status},
	"GET /data/v2/{dp_id}/{tx_id}": {Stated, "", sorted(commonRefusals, list(
		response(http.StatusOK, Stated, "idType=sov with a company package returns the data of the location package (stated, in a sample)"),
		response(http.StatusBadRequest, Chosen, "idType is missing, repeated or unknown"),
		response(http.StatusNotFound, Chosen, notFound),
		response(http.StatusConflict, Chosen, "the submission has not finished, or it failed"),
	))},
	"GET /data/v1/{dp_id}/{report_id}": {Stated, "", sorted(commonRefusals, list(
		response(http.StatusOK, Stated, "the report of a submission can be read too (chosen)"),
		response(http.StatusNotFound, Chosen, notFound),
	))},
	"POST /company/v1/company_submit": {Stated, "", sorted(commonRefusals, bodyRefusals, list(response(http.StatusOK, Stated, "")))},

	"POST /universal/v1/universal-submit/file-upload-url": {Stated, asVersion2, unconfirmed(uploadURL)},
	"POST /universal/v1/universal-submit/file/{tx_id}":    {Stated, asVersion2, unconfirmed(trigger)},
	"GET /universal/v1/universal-submit/status/{tx_id}":   {Stated, "", unconfirmed(status)},
	"POST /universal/v3/universal-submit/file-upload-url": {Stated, asVersion2, unconfirmed(uploadURL)},
	"POST /universal/v3/universal-submit/file/{tx_id}":    {Stated, asVersion2, unconfirmed(trigger)},
	"GET /universal/v3/universal-submit/status/{tx_id}":   {Stated, "", unconfirmed(status)},
	"POST /universal/v4/universal-submit/file-upload-url": {Public, asVersion2, unconfirmed(uploadURL)},
	"POST /universal/v4/universal-submit/file/{tx_id}":    {Public, asVersion2, unconfirmed(trigger)},
	"GET /universal/v4/universal-submit/status/{tx_id}":   {Public, "", statusV4},
	"GET /universal/v4/universal-submit/status/{tx_id}/details": {Public, "", sorted(commonRefusals, list(
		response(http.StatusOK, Chosen, "the status of version 4, the files and the data packages; it counts as a status poll"),
		response(http.StatusNotFound, Chosen, notFound),
	))},
	"POST /universal/v3/universal-submit/file": {Public, "", directSubmit},
	"POST /universal/v4/universal-submit/file": {Public, "", directSubmit},

	"GET /data/v3/{dp_id}/{tx_id}": {Public, "", dataInquiry},
	"GET /data/v4/{dp_id}/{tx_id}": {Public, "", dataInquiry},
	"GET /data/v5/{dp_id}/{tx_id}": {Public, "called with a data package for one line of business", dataInquiry},
	"POST /company/v1/quick_submit": {Public, "", sorted(commonRefusals, bodyRefusals, list(
		response(http.StatusOK, Chosen, ""),
		response(http.StatusNotFound, Chosen, notFound),
	))},

	// Only the names of these operations are known.
	"POST /location/v1/location_submit": {Stated, knownByName, sorted(commonRefusals, list(response(http.StatusNotImplemented, Chosen, "")))},
	"GET /audit/v1/report/{report}":     {Stated, knownByName, sorted(commonRefusals, list(response(http.StatusNotImplemented, Chosen, "")))},

	"GET /hooks":              {Public, "", sorted(hooksRefusals(Chosen, Chosen), list(response(http.StatusOK, Public, "oldest first (chosen)")))},
	"POST /hooks":             {Stated, "", sorted(hooksRefusals(Stated, Stated), hooksBodyRefusals, list(response(http.StatusCreated, Stated, "")))},
	"GET /hooks/{hook_id}":    {Public, "", sorted(hooksRefusals(Chosen, Chosen), hookNotFound(Chosen), list(response(http.StatusOK, Public, "")))},
	"PUT /hooks/{hook_id}":    {Stated, "", hookUpdate},
	"PATCH /hooks/{hook_id}":  {Stated, "", hookUpdate},
	"DELETE /hooks/{hook_id}": {Public, "", sorted(hooksRefusals(Chosen, Chosen), hookNotFound(Public), list(response(http.StatusNoContent, Public, "")))},
	"GET /hooks/{hook_id}/requests": {Public, "", sorted(hooksRefusals(Chosen, Chosen), hookNotFound(Chosen), list(
		response(http.StatusOK, Public, "newest first, at most 100"),
	))},
	"POST /hooks/{hook_id}/requests/{request_id}/redeliver": {Public, "", sorted(hooksRefusals(Chosen, Chosen), hookNotFound(Chosen), list(
		response(http.StatusCreated, Chosen, ""),
		response(http.StatusUnprocessableEntity, Chosen, "the subscription is inactive"),
	))},

	// These are part of the emulator, not of the emulated service.
	"GET /livez": {Chosen, ownNote, list(response(http.StatusOK, Chosen, ""))},
	"GET /readyz": {Chosen, ownNote, list(
		response(http.StatusOK, Chosen, ""),
		response(http.StatusServiceUnavailable, Chosen, "the server is stopping, the database is unreachable, or the object store or the parsers have not worked for a minute"),
	)},
	"GET /openapi.yaml": {Chosen, ownNote, list(response(http.StatusOK, Chosen, ""))},
	"GET /docs":         {Chosen, ownNote, list(response(http.StatusOK, Chosen, ""))},
	"GET /docs/{file}":  {Chosen, ownNote, list(response(http.StatusOK, Chosen, ""), response(http.StatusForbidden, Chosen, "the page does not have this file"))},
}

const asVersion2 = "assumed to work like version 2"

// unconfirmed returns the responses of version 2 for another version whose real
// responses are unknown.
func unconfirmed(responses []Response) []Response {
	chosen := slices.Clone(responses)
	for i := range chosen {
		chosen[i].Label, chosen[i].Body = Chosen, Chosen
	}
	return chosen
}

// directSubmit are the responses to a file that is submitted in one call.
var directSubmit = sorted(commonRefusals, list(
	Response{Status: http.StatusOK, Label: Public, Body: Chosen, Note: "the body is the trigger response"},
	response(http.StatusBadRequest, Chosen, ""),
	bodyTimeout,
	response(http.StatusRequestEntityTooLarge, Chosen, "a file of 10 MB or more needs an upload URL (stated)"),
	response(http.StatusUnsupportedMediaType, Chosen, ""),
))

var statusV4 = sorted(commonRefusals, list(
	response(http.StatusOK, Public, "the two keys and their values (public); tx_status is Scheduled from the start (chosen)"),
	response(http.StatusNotFound, Chosen, notFound),
))

// dataInquiry are the responses of the later versions of the data inquiry.
var dataInquiry = sorted(commonRefusals, list(
	response(http.StatusOK, Public, ""),
	response(http.StatusNotFound, Chosen, notFound),
	response(http.StatusConflict, Chosen, "the submission has not finished, or it failed"),
))

var hookUpdate = sorted(hooksRefusals(Stated, Chosen), hooksBodyRefusals, hookNotFound(Stated), list(response(http.StatusOK, Stated, "")))

// Responses that the versions of universal submit share.
var (
	uploadURL = sorted(commonRefusals, bodyRefusals, list(response(http.StatusOK, Stated, "")))
	trigger   = sorted(commonRefusals, list(
		response(http.StatusOK, Stated, "triggering again returns the same bytes (chosen)"),
		response(http.StatusNotFound, Chosen, notFound),
		response(http.StatusConflict, Chosen, "no file has been uploaded completely yet"),
	))
	status = sorted(commonRefusals, list(
		Response{Status: http.StatusOK, Label: Stated, Body: Stated, Switch: "tenant setting status_vocabulary", Note: "two vocabularies (stated), selected by a tenant setting (chosen); Pending before the trigger (chosen)"},
		response(http.StatusNotFound, Chosen, notFound),
	))
)
