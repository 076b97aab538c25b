// Package fidelity says how certain each response of the emulator is: one table of
// operations, status codes and fields. FIDELITY.md is written from it, the control
// API serves it, and the journal labels calls with it. It knows no handler; tests
// compare the table with the OpenAPI document.
package fidelity

import (
	"cmp"
	"regexp"
	"strings"
)

// Label says where a response comes from.
type Label string

// The labels, the most certain first.
const (
	Stated Label = "stated" // in the service's specification
	Public Label = "public" // seen in public documentation, or in public code of clients
	Chosen Label = "chosen" // the real response is unknown; the likeliest was picked
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

// Case is a group of a response's calls that is more or less certain than the rest,
// recognised by the request or by the response body.
type Case struct {
	What  string `json:"case"`
	Label Label  `json:"label"` // of status code and body

	asked, said *regexp.Regexp // of the request and of the response body; nil matches all
}

// Call is a call and its response, as far as a label depends on them.
type Call struct {
	Method, Path string // the path may have a query
	Status       int
	Asked, Said  string // bodies of the request and of the response
}

// matches reports whether the call is one of the case.
func (c Case) matches(call Call) bool {
	_, query, _ := strings.Cut(call.Path, "?")
	return (c.asked == nil || c.asked.MatchString(query+"\n"+call.Asked)) && (c.said == nil || c.said.MatchString(call.Said))
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

// Value says where the values of a field come from.
type Value string

const (
	Real      Value = "real"      // the emulator's own state, what the client sent, or what the document states
	Derived   Value = "derived"   // as real, or else concluded from extracted values: the city of a postal code
	Synthetic Value = "synthetic" // as real, or else invented: plausible, and true of no company
)

// Behaviour is something that the emulator does besides responding.
type Behaviour struct {
	What   string `json:"behaviour"`
	Label  Label  `json:"label"`
	Switch string `json:"switch,omitempty"`
}

// Table is the whole table.
type Table struct {
	Operations []Operation `json:"operations"`
	Fields     []Field     `json:"fields"`
	Behaviours []Behaviour `json:"behaviours"`
}

// All is the table.
var All = Table{operations, fields(), behaviours}

// Of returns the label of the call's response: that of its case, or else the weaker
// one of its status code and its body. A response that is not in the table is
// Chosen.
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
// status code. Its labels are at most as certain as the operation.
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
