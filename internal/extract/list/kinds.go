package list

import (
	"strings"

	"understudy.example/internal/field"
)

// Kind is a kind of list: the columns that a table must have, the labels that a block must
// have, and the values that an entry must have. Each alternative names fields, separated by
// spaces, all of which are needed. "title" stands for a heading, a sheet or a file with a
// name of the list.
type Kind struct {
	List   string
	table  []string
	Block  []string // empty: not read from blocks
	Entry  []string
	not    []string // columns of other tables
	Carry  []string // fields that can stand above the table instead
	Fields []field.Field
}

// Kinds are the kinds of lists, in the order in which they are compared.
var Kinds = []Kind{
	{
		List: "vehicles",
		table: []string{
			"vin make", "vin model", "vin year", "vin ~make_model", "vin ~year_make_model", "vin cost_new", "vin garaging_address", "vin body_type", "vin ~registration",
			"make model year", "~make_model year", "~make_model ~registration", "make ~registration", "model ~registration", "~year_make_model ~registration",
			"title make model", "title ~make_model", "title ~year_make_model", "title make body_type",
		},
		Block: []string{"vin make", "vin year", "vin model", "vin ~make_model", "vin ~year_make_model", "year make model", "make model ~registration", "~make_model ~registration", "title make model"},
		Entry: []string{"vin", "make model", "make year", "model year"},
		not:   []string{"~serial"},
	},
	{
		List: "claim_history",
		table: []string{
			"claim_number date_of_loss", "claim_number paid", "claim_number reserved", "claim_number incurred", "claim_number ~paid_part", "claim_number status description",
			"date_of_loss paid", "date_of_loss reserved", "date_of_loss incurred", "date_of_loss description status", "date_of_loss description paid?", "date_of_loss description incurred?",
			"title paid? date_of_loss?", "title incurred? date_of_loss?", "title paid? description?", "title incurred? description?", "title paid? ~cause", "title incurred? ~cause", "title date_of_loss? description?",
		},
		Block: []string{"claim_number date_of_loss", "claim_number paid", "claim_number incurred", "claim_number reserved", "date_of_loss paid", "date_of_loss incurred", "date_of_loss reserved", "title date_of_loss description"},
		Entry: []string{"claim_number", "date_of_loss paid", "date_of_loss reserved", "date_of_loss incurred", "date_of_loss description", "description paid", "description incurred", "description reserved"},
		not:   []string{"~many"},
		Carry: []string{"policy_number", "carrier", "line_of_business"},
	},
	{
		List: "employees",
		table: []string{
			"class_code estimated_annual_payroll", "class_code number_of_employees", "class_description estimated_annual_payroll",
			"class_description number_of_employees title", "title class_description? estimated_annual_payroll", "title class_description? number_of_employees", "title class_code? estimated_annual_payroll",
		},
		Block: []string{"class_code estimated_annual_payroll", "class_code number_of_employees"},
		Entry: []string{"class_code estimated_annual_payroll", "class_code number_of_employees", "class_description estimated_annual_payroll", "class_description number_of_employees"},
		not:   []string{"~exposure"},
		Carry: []string{"state"},
	},
	{
		List: "existing_insurance",
		table: []string{
			"policy_number ~carrier premium", "policy_number ~carrier policy_effective_date", "policy_number ~carrier policy_expiry_date", "policy_number ~carrier ~period", "policy_number ~carrier year",
			"type policy_number policy_effective_date policy_expiry_date", "type policy_number ~period premium",
			"title policy_number premium", "title policy_number policy_effective_date", "title policy_number policy_expiry_date", "title policy_number ~period", "title policy_number year", "title ~carrier premium year",
			"title ~carrier premium ~period", "title ~carrier premium policy_expiry_date", "title type? policy_expiry_date premium", "title type? ~carrier premium", "title type? ~carrier policy_expiry_date", "title type? policy_number ~carrier",
		},
		Block: []string{"title policy_number premium", "title policy_number policy_effective_date", "title policy_number policy_expiry_date", "title policy_number ~period", "title policy_number type"},
		Entry: []string{
			"policy_number premium", "policy_number policy_effective_date", "policy_number policy_expiry_date", "policy_number year", "policy_number type",
			"type premium year", "type premium policy_expiry_date", "type premium policy_effective_date", "type policy_expiry_date", "year premium", "type premium", "premium policy_expiry_date", "premium policy_effective_date",
		},
		not: []string{"~layer"},
	},
	{
		List: "additional_interest",
		table: []string{
			"party_name party_address interest", "~name_address interest", "party_name ~city interest", "party_name loan_number", "~name_address loan_number",
			"title party_name party_address", "title ~name_address", "title party_name interest", "title party_name ~city",
		},
		Block: []string{"party_name interest"}, // begins with a label such as "Mortgagee"
		Entry: []string{"party_name party_address", "party_name interest", "party_name loan_number"},
	},
}

func init() {
	for i := range Kinds {
		Kinds[i].Fields = field.EntryFields(Kinds[i].List)
	}
	// An interest in a location has more fields than one in the company.
	Kinds[len(Kinds)-1].Fields = field.EntryFields(field.LocationInterest)
}

// KindOf returns the kind of a list; nil if there is none.
func KindOf(list string) *Kind {
	for i := range Kinds {
		if Kinds[i].List == list {
			return &Kinds[i]
		}
	}
	return nil
}

// Satisfied reports whether one of the alternatives is satisfied. has reports whether a
// field is there. If general is true, headers that are too general count too.
func Satisfied(alternatives []string, has func(name string, general bool) bool) bool {
	for _, alternative := range alternatives {
		all := true
		for name := range strings.FieldsSeq(alternative) {
			name, general := strings.CutSuffix(name, "?")
			if all = all && has(name, general); !all {
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// HasValues returns the argument of Satisfied that looks at the values of an entry.
func HasValues(values map[string]string) func(string, bool) bool {
	return func(name string, _ bool) bool {
		value := values[name]
		return value != "" && value != "0.00" && value != "0"
	}
}

// FieldNamed returns the field with the name, or a field of text.
func FieldNamed(fields []field.Field, name string) field.Field {
	for _, f := range fields {
		if f.Name == name {
			return f
		}
	}
	return field.Field{Name: name}
}
