// Package fidelity records how certain it is that the emulator behaves like the real
// service. It is one table of operations, status codes, fields and behaviours.
// FIDELITY.md is generated from the table, the control API serves it, and the journal
// labels calls with it. The package knows no handler; tests compare the table with the
// OpenAPI document.
package fidelity

import (
	"cmp"
	"regexp"
	"strings"
)

// Label is the source from which the response, the field or the behaviour is known.
type Label string

// The labels, the most certain first.
const (
	Stated Label = "stated" // in the service's specification
	Public Label = "public" // seen in public documentation, or in public code of clients
	Chosen Label = "chosen" // the real one is unknown; the most likely one was implemented
)

// doubt orders the labels by how uncertain they are.
func (l Label) doubt() int { return strings.Index("stated public chosen", string(l)) }

// weaker returns the less certain of two labels.
func weaker(a, b Label) Label {
	if cmp.Compare(a.doubt(), b.doubt()) >= 0 {
		return a
	}
	return b
}

// Operation is one method and path, with its responses.
type Operation struct {
	Line      string     `json:"operation"` // method and path, as in the OpenAPI document
	Label     Label      `json:"label"`     // that it exists
	Note      string     `json:"note,omitempty"`
	Responses []Response `json:"answers"`
}

// Response is one status code of an operation.
type Response struct {
	Status int    `json:"status"`
	Label  Label  `json:"label"` // that the case has this status code
	Body   Label  `json:"body"`  // what the body contains
	Switch string `json:"switch,omitempty"`
	Note   string `json:"note,omitempty"`
	Cases  []Case `json:"cases,omitempty"`
}

// Case is a group of calls whose response is more or less certain than that of the
// other calls with the same status code. It is recognised by the request or by the
// response body.
type Case struct {
	Description string `json:"case"`
	Label       Label  `json:"label"` // of status code and body

	// Patterns of the request (its query, a line break and its body) and of the
	// response body; nil matches every call.
	request, response *regexp.Regexp
}

// Call is a call and its response, as far as a label depends on them.
type Call struct {
	Method, Path              string // the path may have a query
	Status                    int
	RequestBody, ResponseBody string
}

// matches reports whether the call is one of the case.
func (c Case) matches(call Call) bool {
	_, query, _ := strings.Cut(call.Path, "?")
	return (c.request == nil || c.request.MatchString(query+"\n"+call.RequestBody)) && (c.response == nil || c.response.MatchString(call.ResponseBody))
}

// Field is a field of a response: its name and type.
type Field struct {
	Schema string `json:"schema"` // as in the OpenAPI document
	Name   string `json:"field"`  // a path of names; [] is each element
	Label  Label  `json:"label"`
	Value  Value  `json:"value"`
	Switch string `json:"switch,omitempty"`
	Note   string `json:"note,omitempty"`
}

// Value is the origin of the values of a field.
type Value string

const (
	Real      Value = "real"      // from the emulator's own state, from the client's request or from the document
	Derived   Value = "derived"   // real if possible, otherwise derived from extracted values, such as a city from its postal code
	Synthetic Value = "synthetic" // real if possible, otherwise invented: plausible, but not the data of any real company
)

// Behaviour is a behaviour of the emulator that is not part of a single response.
type Behaviour struct {
	Description string `json:"behaviour"`
	Label       Label  `json:"label"`
	Switch      string `json:"switch,omitempty"`
}

// Table is the whole table.
type Table struct {
	Operations []Operation `json:"operations"`
	Fields     []Field     `json:"fields"`
	Behaviours []Behaviour `json:"behaviours"`
}

// All is the table.
var All = Table{operations, fields(), behaviours}

// Of returns the label of the call's response: the label of its case if there is one,
// otherwise the less certain of the labels of its status code and its body. A response
// that is not in the table is Chosen.
func Of(call Call) Label {
	response, ok := Find(call.Method, call.Path, call.Status)
	if !ok {
		return Chosen
	}
	for _, c := range response.Cases {
		if c.matches(call) {
			return c.Label
		}
	}
	return weaker(response.Label, response.Body)
}

// Find returns the response that the table has for the method, the path and the
// status code. Its labels are never more certain than the label of the operation.
func Find(method, path string, status int) (Response, bool) {
	path, _, _ = strings.Cut(path, "?")
	for i, rt := range routes {
		if rt.Method != method || !rt.Accepts(path) {
			continue
		}
		for _, response := range operations[i].Responses {
			if response.Status == status {
				response.Label = weaker(response.Label, operations[i].Label)
				response.Body = weaker(response.Body, operations[i].Label)
				return response, true
			}
		}
	}
	return Response{}, false
}
