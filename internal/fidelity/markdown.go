package fidelity

import (
	"fmt"
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

// Markdown is the table as a page.
func (t Table) Markdown() string {
	var out strings.Builder
	out.WriteString(preface)

	out.WriteString("\n## Answers\n\n`status` is how sure it is that the case has this status code, `body` how sure its text is.\n")
	for _, o := range t.Operations {
		fmt.Fprintf(&out, "\n### `%s`\n\nThis operation is %s.", o.Line, o.Label)
		if o.Note != "" {
			fmt.Fprintf(&out, " It is %s.", o.Note)
		}
		out.WriteString("\n\n")
		row(&out, "Code", "Status", "Body", "Switch", "Note")
		row(&out, "---", "---", "---", "---", "---")
		for _, a := range o.Answers {
			row(&out, fmt.Sprint(a.Status), string(a.Label), string(a.Body), a.Switch, a.Note)
		}
	}

	out.WriteString(`
## Fields

The label is that of a field's name and type. Its values are

- **real**: the emulator's own state, what the client sent, or what a document says; unknown ones are empty;
- **derived**: as real, or else concluded from what was read, as a city from its postal code;
- **synthetic**: as real, or else made up by enrichment: plausible, the same every time, and true of no company.
`)
	schema := ""
	for _, f := range t.Fields {
		if f.Schema != schema {
			schema = f.Schema
			fmt.Fprintf(&out, "\n### %s\n\n", schema)
			row(&out, "Field", "Label", "Values", "Switch", "Note")
			row(&out, "---", "---", "---", "---", "---")
		}
		row(&out, "`"+f.Name+"`", string(f.Label), string(f.Value), f.Switch, f.Note)
	}

	out.WriteString("\n## Behaviour\n\n")
	row(&out, "What", "Label", "Switch")
	row(&out, "---", "---", "---")
	for _, b := range t.Behaviours {
		row(&out, b.What, string(b.Label), b.Switch)
	}
	return out.String()
}

func row(out *strings.Builder, cells ...string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}
