package console

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"understudy.example/internal/console/snippet"
)

// requestFilters are the filters of the list of requests that its form has.
var requestFilters = []string{"q", "method", "status", "client_id", "tx_id"}

// requestsData is a page of the journal.
type requestsData struct {
	Calls    []any
	Before   string // cursor of older calls; "" = there are none
	Base     string // URL of the list, and of its calls before their ids
	Tenant   bool   // the calls belong to a tenant
	Filtered bool
}

// loadRequests loads the journal of the tenant, or without one in the path that of the
// calls that belong to no tenant.
func loadRequests(v *visit) (any, error) {
	data := requestsData{Base: requestsBase(v), Tenant: v.r.PathValue("t") != ""}
	query := url.Values{"limit": {"50"}, "bodies": {"false"}}
	for _, name := range slices.Concat(requestFilters, []string{"route", "since", "until", "before"}) {
		if value := v.Query.Get(name); value != "" {
			query.Set(name, value)
			data.Filtered = data.Filtered || name != "before"
		}
	}
	listed, err := v.get(requestsPath(v) + "?" + query.Encode())
	data.Calls, _ = at(listed, "requests").([]any)
	data.Before = text(listed, "before")
	return data, err
}

// requestsPath returns the path of the journal in the control API.
func requestsPath(v *visit) string {
	if v.r.PathValue("t") == "" {
		return "/requests"
	}
	return v.path("/requests")
}

// requestsBase returns the URL of the journal's page.
func requestsBase(v *visit) string {
	if v.r.PathValue("t") == "" {
		return "/requests"
	}
	return v.In("/requests")
}

// requestData is a call of the journal.
type requestData struct {
	Call     any
	Base     string // URL of the list
	Findings []any
	Faults   []any // that acted and still exist
	Gone     []any // ids of the faults that acted and do not exist any more
	Copies   []snippetText
	Needed   []string // environment variables
}

// snippetText is a call written in a language.
type snippetText struct{ Language, Text string }

// loadRequest loads a call of the journal.
func loadRequest(v *visit) (any, error) {
	id := url.PathEscape(v.r.PathValue("id"))
	call, err := v.get(requestsPath(v) + "/" + id)
	if err != nil {
		return nil, err
	}
	data := requestData{Call: call, Base: requestsBase(v)}
	if v.r.PathValue("t") != "" {
		err = data.loadActed(v, id)
	}
	encoded, err1 := json.Marshal(call)
	r, err2 := snippet.New(encoded, v.APIURL)
	data.Needed = r.Variables()
	inGo, err3 := snippet.GoTest(r)
	inPython, err4 := snippet.PythonTest(r)
	inJavaScript, err5 := snippet.JavaScriptTest(r)
	data.Copies = []snippetText{{"curl", r.Curl()}, {"Go test", inGo}, {"Python test", inPython}, {"JavaScript test", inJavaScript}}
	return data, errors.Join(err, err1, err2, err3, err4, err5)
}

// loadActed loads what acted on the call of a tenant, and the findings about it.
func (data *requestData) loadActed(v *visit, id string) error {
	found, err := v.get(v.path("/findings?request_id=" + id))
	if err != nil {
		return err
	}
	data.Findings, _ = at(found, "findings").([]any)
	acted, _ := at(data.Call, "faults").([]any)
	if len(acted) == 0 {
		return nil
	}
	listed, err := v.get(v.path("/faults"))
	if err != nil {
		return err
	}
	faults, _ := at(listed, "faults").([]any)
	for _, id := range acted {
		i := slices.IndexFunc(faults, func(fault any) bool { return text(fault, "id") == text(id) })
		if i < 0 {
			data.Gone = append(data.Gone, id)
			continue
		}
		data.Faults = append(data.Faults, faults[i])
	}
	return nil
}
