// Package fidelity tells how sure each answer of the emulator is: one table of
// operations, status codes and fields, from which FIDELITY.md is written, the
// control API answers, and the journal marks calls. It knows no handler; a test
// of cmd/server holds the table to the OpenAPI document.
package fidelity

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Label says where an answer comes from.
type Label string

// The labels, the surest first.
const (
	Stated Label = "stated" // in the service's specification
	Public Label = "public" // seen in public documentation, or in public code of clients
	Chosen Label = "chosen" // nobody has shown the real one; the likeliest was picked
)

// doubt orders the labels.
func (l Label) doubt() int { return strings.Index("stated public chosen", string(l)) }

// weaker is the less sure of two labels.
func weaker(a, b Label) Label {
	if cmp.Compare(a.doubt(), b.doubt()) >= 0 {
		return a
	}
	return b
}

// Operation is one path and method, with the answers that it has.
type Operation struct {
	Line    string   `json:"operation"` // method and path, as in the OpenAPI document
	Label   Label    `json:"label"`     // that it exists
	Note    string   `json:"note,omitempty"`
	Answers []Answer `json:"answers"`
}

// Answer is one status code of an operation.
type Answer struct {
	Status int    `json:"status"`
	Label  Label  `json:"label"` // that the case has this status code
	Body   Label  `json:"body"`  // what the answer says
	Switch string `json:"switch,omitempty"`
	Note   string `json:"note,omitempty"`
	Cases  []Case `json:"cases,omitempty"`
}

// Case is some of an answer's calls, surer or less sure than the rest. They are
// told by what they ask or by what the answer says.
type Case struct {
	What  string `json:"case"`
	Label Label  `json:"label"` // of status code and body

	asked, said *regexp.Regexp // nil is any
}

// Call is a call and its answer, as far as a label depends on them.
type Call struct {
	Method, Path string // the path may have a query
	Status       int
	Asked, Said  string // bodies of the request and of the answer
}

// is tells whether the call is one of the case.
func (c Case) is(of Call) bool {
	_, query, _ := strings.Cut(of.Path, "?")
	return (c.asked == nil || c.asked.MatchString(query+"\n"+of.Asked)) && (c.said == nil || c.said.MatchString(of.Said))
}

// Field is a field of an answer: its name and type.
type Field struct {
	Schema string `json:"schema"` // as in the OpenAPI document
	Name   string `json:"field"`  // a path of names; [] is each element
	Label  Label  `json:"label"`
	Value  Value  `json:"value"`
	Switch string `json:"switch,omitempty"`
	Note   string `json:"note,omitempty"`
}

// Value says how a field comes by its values.
type Value string

const (
	Real      Value = "real"      // the emulator's own state, or what the client sent or the document says
	Derived   Value = "derived"   // as real, or else concluded from what was read: the city of a postal code
	Synthetic Value = "synthetic" // as real, or else made up: plausible, and true of no company
)

// Behaviour is what the emulator does beside answering.
type Behaviour struct {
	What   string `json:"behaviour"`
	Label  Label  `json:"label"`
	Switch string `json:"switch,omitempty"`
}

// Table is all of it.
type Table struct {
	Operations []Operation `json:"operations"`
	Fields     []Field     `json:"fields"`
	Behaviours []Behaviour `json:"behaviours"`
}

// All is the table.
var All = Table{operations, fields(), behaviours}

// Of returns the label of the call's answer: its case's, or else the weaker of
// its status code's and its body's. Anything that is not in the table is chosen.
func Of(call Call) Label {
	answer, ok := Find(call.Method, call.Path, call.Status)
	if !ok {
		return Chosen
	}
	for _, c := range answer.Cases {
		if c.is(call) {
			return c.Label
		}
	}
	return weaker(answer.Label, answer.Body)
}

// Find returns the answer that the table has for the method and path, the
// operation's own doubt counted in.
func Find(method, path string, status int) (Answer, bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, operation := range operations {
		if !operation.takes(method, path) {
			continue
		}
		for _, answer := range operation.Answers {
			if answer.Status == status {
				answer.Label = weaker(answer.Label, operation.Label)
				answer.Body = weaker(answer.Body, operation.Label)
				return answer, true
			}
		}
	}
	return Answer{}, false
}

// Line returns the operation of the method and path, where it has an answer
// with this status code.
func Line(method, path string, status int) (string, bool) {
	for _, operation := range operations {
		if operation.takes(method, path) && slices.ContainsFunc(operation.Answers, func(a Answer) bool { return a.Status == status }) {
			return operation.Line, true
		}
	}
	return "", false
}

// takes tells whether the operation is the one of the method and path. No two
// patterns of the table take the same path.
func (o Operation) takes(method, path string) bool {
	want, pattern, _ := strings.Cut(o.Line, " ")
	if want != method {
		return false
	}
	for pattern != "" || path != "" {
		var asked, given string
		asked, pattern, _ = strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		given, path, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if asked != given && !(strings.HasPrefix(asked, "{") && given != "") {
			return false
		}
	}
	return true
}
