package console

import (
	"slices"
	"strings"
)

// coverage is the coverage of the API by a tenant's clients, with totals.
type coverage struct {
	Operations, Statuses, States, Events covered
}

// covered is a list of things that can be exercised.
type covered struct {
	Items     []any
	Seen, All int
}

// newCoverage returns the coverage in a response of the control API.
func newCoverage(seen any) *coverage {
	c := &coverage{Operations: newCovered(seen, "operations"), States: newCovered(seen, "states"), Events: newCovered(seen, "events")}
	for _, operation := range c.Operations.Items {
		statuses := newCovered(operation, "statuses")
		c.Statuses.Seen += statuses.Seen
		c.Statuses.All += statuses.All
	}
	return c
}

func newCovered(object any, list string) covered {
	var c covered
	c.Items, _ = at(object, list).([]any)
	c.All = len(c.Items)
	for _, item := range c.Items {
		if whole(at(item, "count")) > 0 {
			c.Seen++
		}
	}
	return c
}

// family is the coverage of the operations that belong together.
type family struct {
	ID, Name             string
	Operations, Statuses covered
}

// families are the names of families by the first part of the paths of their operations.
var families = map[string]family{
	"auth":          {ID: "auth", Name: "Access tokens"},
	"file-transfer": {ID: "universal", Name: "Submissions"},
	"universal":     {ID: "universal", Name: "Submissions"},
	"company":       {ID: "company", Name: "Companies and locations"},
	"location":      {ID: "company", Name: "Companies and locations"},
	"data":          {ID: "data", Name: "Data and reports"},
	"audit":         {ID: "data", Name: "Data and reports"},
	"hooks":         {ID: "hooks", Name: "Webhooks"},
}

// Families returns the operations by family, in the order in which they are listed.
func (c *coverage) Families() []*family {
	var found []*family
	for _, operation := range c.Operations.Items {
		_, path, _ := strings.Cut(text(operation, "operation"), " /")
		part, _, _ := strings.Cut(path, "/")
		of, known := families[part]
		if !known {
			of = family{ID: part, Name: part}
		}
		i := slices.IndexFunc(found, func(f *family) bool { return f.ID == of.ID })
		if i < 0 {
			i, found = len(found), append(found, &of)
		}
		found[i].add(operation)
	}
	return found
}

func (f *family) add(operation any) {
	f.Operations.Items = append(f.Operations.Items, operation)
	f.Operations.All++
	if whole(at(operation, "count")) > 0 {
		f.Operations.Seen++
	}
	statuses := newCovered(operation, "statuses")
	f.Statuses.Seen += statuses.Seen
	f.Statuses.All += statuses.All
}
