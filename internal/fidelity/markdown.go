package fidelity

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const preface = `# Fidelity

How certain is each response of the emulator? This page is generated from the table in
` + "`internal/fidelity`" + `, which the journal and ` + "`GET /control/v1/fidelity`" + ` use too; tests
compare it with the OpenAPI document. Do not edit it: run
` + "`go test ./internal/fidelity -run TestPageIsCurrent -update`" + `.

- **stated**: in the service's specification.
- **public**: seen in the service's public documentation, or in public code of its clients.
- **chosen**: the real response is unknown. The likeliest was picked; the column "Switch" names the setting that changes it, where there is one.

With access to the real service, the emulator can be compared with it:
` + "`server conform --help`" + `.

`

// Markdown returns the table as a page. It lists once what several operations or
// several fields have in common.
func (t Table) Markdown() string {
	var out strings.Builder
	out.WriteString(preface)
	t.contents(&out)
	out.WriteString("\n## Responses\n\nColumn \"Status\": how certain it is that the case has this status code. Column \"Body\": how certain the body is.\n")
	for _, s := range shared {
		fmt.Fprintf(&out, "\n### %s\n\n", s.title)
		responsesTable(&out, s.responses)
	}
	for _, like := range groupBy(t.Operations, func(a, b Operation) bool { a.Line = b.Line; return reflect.DeepEqual(a, b) }) {
		operationPart(&out, like)
	}

	out.WriteString(`
## Fields

By schema of the OpenAPI document. The label applies to the name and type of a field. The column "Values" says where its values come from:

- **real**: from the emulator's own state, from what the client sent, or from what a document states; unknown values are empty.
- **derived**: as real, or else concluded from extracted values, as a city from its postal code.
- **synthetic**: as real, or else invented by enrichment: plausible, the same every time, and true of no company.
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
		row(&out, b.What, string(b.Label), b.Switch)
	}
	return out.String()
}

// shared are the refusals that many operations have in common.
var shared = []struct {
	title, anchor string
	responses     []Response
}{
	{"Refusals of submit, status, data and company calls", "refusals-of-submit-status-data-and-company-calls", commonRefusals},
	{"Refusals of webhook calls", "refusals-of-webhook-calls", commonHooksRefusals},
}

// contents writes the number of entries of each part, with links to the parts.
func (t Table) contents(out *strings.Builder) {
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
	fmt.Fprintf(out, "\nFields of %s.\n", strings.Join(links, ", "))
}

// operationPart writes operations that differ only in their line.
func operationPart(out *strings.Builder, like []Operation) {
	o := like[0]
	fmt.Fprintf(out, "\n### %s\n\n", names(like, func(o Operation) string { return o.Line }))
	fmt.Fprintf(out, "%s.", strings.ToUpper(string(o.Label[:1]))+string(o.Label[1:]))
	if o.Note != "" {
		fmt.Fprintf(out, " It is %s.", o.Note)
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
			fmt.Fprintf(out, " In addition: [%s](#%s).", strings.ToLower(s.title[:1])+s.title[1:], s.anchor)
		}
	}
	out.WriteString("\n\n")
	responsesTable(out, own)
}

func responsesTable(out *strings.Builder, responses []Response) {
	row(out, "Code", "Status", "Body", "Switch", "Note")
	row(out, "---", "---", "---", "---", "---")
	for _, a := range responses {
		row(out, fmt.Sprint(a.Status), string(a.Label), string(a.Body), a.Switch, a.Note)
		for _, c := range a.Cases {
			row(out, fmt.Sprint(a.Status), string(weaker(a.Label, c.Label)), string(c.Label), a.Switch, c.What)
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

func row(out *strings.Builder, cells ...string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}
