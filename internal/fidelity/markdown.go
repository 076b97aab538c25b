package fidelity

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const preface = `# Fidelity

How sure is each answer of the emulator? This page is written from the table in
` + "`internal/fidelity`" + `, which the journal and ` + "`GET /control/v1/fidelity`" + ` use too; a test
compares it with the OpenAPI document. Do not edit it: run
` + "`go test ./cmd/server -run TestFidelityPage -update`" + `.

- **stated**: in the service's specification.
- **public**: seen in the service's public documentation, or in public code of its clients.
- **chosen**: nobody has shown the real answer. The likeliest was picked; a switch stands beside it where there is one.

Whoever can reach the real service can have the emulator compared with it:
` + "`server conform --help`" + `.

`

// Markdown is the table as a page. What is the same in several operations, or
// for several fields, stands there once.
func (t Table) Markdown() string {
	var out strings.Builder
	out.WriteString(preface)
	t.contents(&out)
	out.WriteString("\n## Answers\n\n`status` is how sure it is that the case has this status code, `body` how sure its text is.\n")
	for _, s := range shared {
		fmt.Fprintf(&out, "\n### %s\n\n", s.title)
		answersTable(&out, s.answers)
	}
	for _, like := range alikes(t.Operations, func(a, b Operation) bool { a.Line = b.Line; return reflect.DeepEqual(a, b) }) {
		operationPart(&out, like)
	}

	out.WriteString(`
## Fields

By schema of the OpenAPI document. The label is that of a field's name and type. Its values are

- **real**: the emulator's own state, what the client sent, or what a document says; unknown ones are empty;
- **derived**: as real, or else concluded from what was read, as a city from its postal code;
- **synthetic**: as real, or else made up by enrichment: plausible, the same every time, and true of no company.
`)
	for _, fields := range alikes(t.Fields, func(a, b Field) bool { return a.Schema == b.Schema }) {
		fmt.Fprintf(&out, "\n### %s\n\n", fields[0].Schema)
		row(&out, "Fields", "Label", "Values", "Switch", "Note")
		row(&out, "---", "---", "---", "---", "---")
		for _, like := range alikes(fields, func(a, b Field) bool { a.Name = b.Name; return a == b }) {
			f := like[0]
			row(&out, names(like, func(f Field) string { return f.Name }), string(f.Label), string(f.Value), f.Switch, f.Note)
		}
	}

	out.WriteString("\n## Behaviour\n\n")
	row(&out, "What", "Label", "Switch")
	row(&out, "---", "---", "---")
	for _, b := range t.Behaviours {
		row(&out, b.What, string(b.Label), b.Switch)
	}
	return out.String()
}

// shared are the refusals that many operations have alike.
var shared = []struct {
	title, anchor string
	answers       []Answer
}{
	{"Refusals of submit, status, data and company calls", "refusals-of-submit-status-data-and-company-calls", gateway},
	{"Refusals of webhook calls", "refusals-of-webhook-calls", hooksGateway},
}

// contents counts what follows, and links to it.
func (t Table) contents(out *strings.Builder) {
	count := map[string]map[Label]int{"answers": {}, "fields": {}, "behaviour": {}}
	for _, o := range t.Operations {
		for _, a := range o.Answers {
			count["answers"][weaker(a.Label, a.Body)]++
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
	for _, part := range []string{"Answers", "Fields", "Behaviour"} {
		of := count[strings.ToLower(part)]
		row(out, "["+part+"](#"+strings.ToLower(part)+")", fmt.Sprint(of[Stated]), fmt.Sprint(of[Public]), fmt.Sprint(of[Chosen]))
	}
	var links []string
	for _, fields := range alikes(t.Fields, func(a, b Field) bool { return a.Schema == b.Schema }) {
		links = append(links, fmt.Sprintf("[%s](#%s)", fields[0].Schema, strings.ToLower(fields[0].Schema)))
	}
	fmt.Fprintf(out, "\nFields of %s.\n", strings.Join(links, ", "))
}

// operationPart writes operations that are alike in all but their line.
func operationPart(out *strings.Builder, like []Operation) {
	o := like[0]
	fmt.Fprintf(out, "\n### %s\n\n", names(like, func(o Operation) string { return o.Line }))
	fmt.Fprintf(out, "%s.", strings.ToUpper(string(o.Label[:1]))+string(o.Label[1:]))
	if o.Note != "" {
		fmt.Fprintf(out, " It is %s.", o.Note)
	}
	own := o.Answers
	for _, s := range shared {
		holds := func(a Answer) bool {
			return slices.ContainsFunc(own, func(b Answer) bool { return reflect.DeepEqual(a, b) })
		}
		if !slices.ContainsFunc(s.answers, func(a Answer) bool { return !holds(a) }) {
			own = slices.DeleteFunc(slices.Clone(own), func(a Answer) bool {
				return slices.ContainsFunc(s.answers, func(b Answer) bool { return reflect.DeepEqual(a, b) })
			})
			fmt.Fprintf(out, " Beside these: [%s](#%s).", strings.ToLower(s.title[:1])+s.title[1:], s.anchor)
		}
	}
	out.WriteString("\n\n")
	answersTable(out, own)
}

func answersTable(out *strings.Builder, of []Answer) {
	row(out, "Code", "Status", "Body", "Switch", "Note")
	row(out, "---", "---", "---", "---", "---")
	for _, a := range of {
		row(out, fmt.Sprint(a.Status), string(a.Label), string(a.Body), a.Switch, a.Note)
		for _, c := range a.Cases {
			row(out, fmt.Sprint(a.Status), string(weaker(a.Label, c.Label)), string(c.Label), a.Switch, c.What)
		}
	}
}

// alikes puts what is alike together, in the order of the first of each.
func alikes[T any](all []T, alike func(a, b T) bool) [][]T {
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

// names are those of several things, as code.
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
