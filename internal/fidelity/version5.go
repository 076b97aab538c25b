package fidelity

import (
	"slices"
	"strings"

	"understudy.example/internal/field"
)

// contentSchemas are the beginnings of the names of the schemas of each content.
var contentSchemas = map[string]string{
	"common": "Common", "general-liability": "GeneralLiability", "auto": "Auto", "workers-compensation": "WorkersCompensation",
	"loss-run": "LossRun", "property": "Property", "advanced-property": "AdvancedProperty",
}

// objectSchemas are the schemas of objects by a content and a field of it that has
// such objects, and the label of the names in them.
var objectSchemas = []struct {
	schema, content, field string
	label                  Label
}{
	{"Vehicles", "auto", "vehicles", Chosen},
	{"EmployeeClasses", "workers-compensation", "employees", Chosen},
	{"Fleet", "auto", "auto", Public},
	{"ExistingInsurance", "general-liability", "existing_insurance", Public},
	{"AdditionalInterests", "general-liability", "additional_interest", Public},
	{"AdditionalInsureds", "general-liability", "additional_insureds", Public},
	{"ClaimHistory", "loss-run", "claim_history", Chosen},
	{"AdditionalInterest", "advanced-property", "additional_interest", Public},
}

// version5Fields returns the fields of version 5.
func version5Fields() []Field {
	list := slices.Concat(
		contentFields("OptionsV5", Stated, field.Version2(false).Options),
		contentFields("LocationOptionsV5", Stated, field.Version2(true).Options),
	)
	for _, name := range field.ContentNames() {
		content, _ := field.FindContent(name)
		list = append(list, contentFields(contentSchemas[name]+"Facts", Public, content.Facts)...)
		list = append(list, contentFields(contentSchemas[name]+"Options", Public, content.Options)...)
	}
	for _, object := range objectSchemas {
		content, _ := field.FindContent(object.content)
		for _, f := range content.Fields() {
			if f.Name != object.field {
				continue
			}
			prefix := ""
			if f.Kind == field.Objects {
				prefix = "[]."
			}
			for _, inner := range f.Fields {
				list = append(list, Field{Schema: object.schema, Name: prefix + inner.Name, Label: object.label, Value: Real})
			}
		}
	}
	return append(list, schemaField("Amounts", "*", Public, Real, "",
		"the amounts of 100_pct_limit, 100_pct_coverage_limits and deductible; the names are those of the document, or Building, Business Interruption and Business Personal Property")...)
}

// contentFields returns the fields of a schema of version 5, except those with a schema
// of their own.
func contentFields(schema string, label Label, fields []field.Field) []Field {
	list := dataFields(schema, fields)
	for i, f := range fields {
		list[i].Label = label
		switch {
		case f.Name == "location_id" && strings.HasSuffix(schema, "PropertyFacts"):
			list[i].Value, list[i].Note = Real, "the l_report_id (public)"
		case f.Name == "100_pct_limit" && schema == "PropertyOptions":
			list[i].Value, list[i].Note = Derived, "the sum of 100_pct_coverage_limits"
		case f.Kind == field.Entries:
			list[i].Note = "the form of the elements is not known; always empty unless an outcome sets it"
		}
	}
	return slices.DeleteFunc(list, func(row Field) bool {
		i := slices.IndexFunc(fields, func(f field.Field) bool { return f.Name == row.Name })
		return fields[i].Kind == field.Amounts || fields[i].Kind == field.Object
	})
}
