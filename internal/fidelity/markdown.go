package fidelity

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const preface = `# Fidelity

How certain is it that the emulator behaves like the real service? Each response, field and
behaviour on this page has one of three labels:

- **stated**: the service's specification says so.
- **public**: it was seen in the service's public documentation or in public code of its clients.
- **chosen**: the real behaviour is unknown, and the most likely one was implemented.

Where the behaviour can be changed, the column "Switch" names the tenant setting, the part of
the control API, the file name or the environment variable that changes it.

If you have access to the real service, you can compare the emulator with it: see
` + "`server conform --help`" + `.

This page is generated from the table in ` + "`internal/fidelity`" + `, which the journal and
` + "`GET /control/v1/fidelity`" + ` also use. Tests compare the table with the OpenAPI document. Do
not edit this page: regenerate it with
` + "`go test ./internal/fidelity -run TestPageIsCurrent -update`" + `.

The number of responses, fields and behaviours with each label (a response counts with the
less certain of the labels of its status code and its body):

`

// Markdown returns the table as the page FIDELITY.md. Operations that differ only in
// their line, and fields that differ only in their name, share one entry.
func (t Table) Markdown() string {
	var out strings.Builder
	out.WriteString(preface)
	t.writeContents(&out)
	out.WriteString(`
## Responses

The label of an operation says how certain it is that the operation exists. The column "Status"
says how certain the status code is, and the column "Body" how certain the response body is. If
a status code has several rows, the first one covers all cases that have no row of their own.
`)
	for _, s := range shared {
		fmt.Fprintf(&out, "\n### %s\n\n", s.title)
		writeResponses(&out, s.responses)
	}
	for _, like := range groupBy(t.Operations, func(a, b Operation) bool { a.Line = b.Line; return reflect.DeepEqual(a, b) }) {
		writeOperations(&out, like)
	}

	out.WriteString(`
## Fields

The fields are listed by schema of the OpenAPI document. The label applies to the name and the
type of a field. The column "Values" says where its values come from:

- **real**: from the emulator's own state, from the client's request or from the document. Unknown values are empty.
- **derived**: real if possible, otherwise derived from extracted values, such as a city from its postal code.
- **synthetic**: real if possible, otherwise invented by enrichment: plausible, but not the data of any real company. The same input always has the same synthetic values, even those described as random.
`)
	for _, fields := range groupBy(t.Fields, func(a, b Field) bool { return a.Schema == b.Schema }) {
		fmt.Fprintf(&out, "\n### %s\n\n", fields[0].Schema)
		row(&out, "Fields", "Label", "Values", "Switch", "Note")
		row(&out, "---", "---", "---", "---", "---")
		for _, like := range groupBy(fields, func(a, b Field) bool { a.Name = b.Name; return a == b }) {
			f := like[0]
			row(&out, names(like, func(f Field) string { return f.Name }), string(f.Label), string(f.Value), f.Switch, f.Note)
		}
	}

	out.WriteString("\n## Behaviour\n\n")
	row(&out, "Behaviour", "Label", "Switch")
	row(&out, "---", "---", "---")
	for _, b := range t.Behaviours {
		row(&out, b.Description, string(b.Label), b.Switch)
	}
	return out.String()
}

// shared are the error responses that many operations have in common.
var shared = []struct {
	title, anchor string
	responses     []Response
}{
	{"Common errors of submit, status, data and company calls", "common-errors-of-submit-status-data-and-company-calls", commonRefusals},
	{"Common errors of webhook calls", "common-errors-of-webhook-calls", commonHooksRefusals},
}

// writeContents writes the number of entries of each part, with links to the parts.
func (t Table) writeContents(out *strings.Builder) {
	count := map[string]map[Label]int{"responses": {}, "fields": {}, "behaviour": {}}
	for _, o := range t.Operations {
		for _, a := range o.Responses {
			count["responses"][weaker(a.Label, a.Body)]++
		}
	}
	for _, f := range t.Fields {
		count["fields"][f.Label]++
	}
	for _, b := range t.Behaviours {
		count["behaviour"][b.Label]++
	}
	row(out, "", "Stated", "Public", "Chosen")
	row(out, "---", "---", "---", "---")
	for _, part := range []string{"Responses", "Fields", "Behaviour"} {
		of := count[strings.ToLower(part)]
		row(out, "["+part+"](#"+strings.ToLower(part)+")", fmt.Sprint(of[Stated]), fmt.Sprint(of[Public]), fmt.Sprint(of[Chosen]))
	}
	var links []string
	for _, fields := range groupBy(t.Fields, func(a, b Field) bool { return a.Schema == b.Schema }) {
		links = append(links, fmt.Sprintf("[%s](#%s)", fields[0].Schema, strings.ToLower(fields[0].Schema)))
	}
	fmt.Fprintf(out, "\nFields by schema: %s.\n", strings.Join(links, ", "))
}

// writeOperations writes operations that differ only in their line.
func writeOperations(out *strings.Builder, like []Operation) {
	o := like[0]
	fmt.Fprintf(out, "\n### %s\n\n", names(like, func(o Operation) string { return o.Line }))
	subject, are, have := "operation", "It is", "It also has"
	if len(like) > 1 {
		subject, are, have = "operations", "They are", "They also have"
	}
	fmt.Fprintf(out, "Label of the %s: **%s**.", subject, o.Label)
	if o.Note != "" {
		fmt.Fprintf(out, " %s %s.", are, o.Note)
	}
	own := o.Responses
	for _, s := range shared {
		holds := func(a Response) bool {
			return slices.ContainsFunc(own, func(b Response) bool { return reflect.DeepEqual(a, b) })
		}
		if !slices.ContainsFunc(s.responses, func(a Response) bool { return !holds(a) }) {
			own = slices.DeleteFunc(slices.Clone(own), func(a Response) bool {
				return slices.ContainsFunc(s.responses, func(b Response) bool { return reflect.DeepEqual(a, b) })
			})
			fmt.Fprintf(out, " %s the [%s](#%s).", have, strings.ToLower(s.title[:1])+s.title[1:], s.anchor)
		}
	}
	out.WriteString("\n\n")
	writeResponses(out, own)
}

func writeResponses(out *strings.Builder, responses []Response) {
	row(out, "Code", "Status", "Body", "Switch", "Note")
	row(out, "---", "---", "---", "---", "---")
	for _, a := range responses {
		row(out, fmt.Sprint(a.Status), string(a.Label), string(a.Body), a.Switch, a.Note)
		for _, c := range a.Cases {
			row(out, fmt.Sprint(a.Status), string(weaker(a.Label, c.Label)), string(c.Label), a.Switch, c.Description)
		}
	}
}

// groupBy groups the elements that are alike, in the order of the first element of
// each group.
func groupBy[T any](all []T, alike func(a, b T) bool) [][]T {
	var groups [][]T
	for _, one := range all {
		at := slices.IndexFunc(groups, func(group []T) bool { return alike(group[0], one) })
		if at < 0 {
			groups = append(groups, []T{one})
		} else {
			groups[at] = append(groups[at], one)
		}
	}
	return groups
}

// names returns a comma-separated list of the elements' names, formatted as code.
func names[T any](of []T, name func(T) string) string {
	list := make([]string, len(of))
	for i, one := range of {
		list[i] = "`" + name(one) + "`"
	}
	return strings.Join(list, ", ")
}

// row writes a row of a Markdown table.
func row(out *strings.Builder, cells ...string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}
