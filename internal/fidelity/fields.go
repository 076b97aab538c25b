package fidelity

import (
	"slices"
	"strings"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// of returns fields of a schema that have the same label and value. The names are
// separated by spaces.
func of(schema string, label Label, value Value, names string) []Field {
	var list []Field
	for name := range strings.FieldsSeq(names) {
		list = append(list, Field{Schema: schema, Name: name, Label: label, Value: value})
	}
	return list
}

// one returns a field with a switch or a note.
func one(schema, name string, label Label, value Value, toggle, note string) []Field {
	return []Field{{schema, name, label, value, toggle, note}}
}

// derived are the fields that enrichment may conclude from others where no value
// was extracted. A test compares them with what enrichment fills in.
var derived = []string{
	"address", "city", "state", "postal_code", "country", "legal_entity_type", "company_jurisdiction",
	"registered_in_countries", "assets_in_countries", "risk_country",
	"location_address", "location_city", "location_state", "location_postal_code", "location_country", "location_id",
}

// ValueOf returns where the values of a field of the vocabulary come from, and for a
// synthetic one how they are made.
func ValueOf(name string) (value Value, how string) {
	for _, made := range enrich.Synthetic {
		if made.Field == name {
			return Synthetic, made.How
		}
	}
	if slices.Contains(derived, name) {
		return Derived, ""
	}
	return Real, ""
}

// vocabulary returns the fields of a data object, whose names are stated.
func vocabulary(schema string, names []field.Field) []Field {
	var list []Field
	for _, f := range names {
		row := Field{Schema: schema, Name: f.Name, Label: Stated}
		row.Value, row.Note = ValueOf(f.Name)
		if f.Kind == field.Money {
			row.Note = strings.TrimPrefix(row.Note+"; thousands separators and two decimals are public", "; ")
		}
		list = append(list, row)
	}
	return list
}

// head returns the fields with which submit, status, company and data responses
// begin.
func head(schema string) []Field {
	return slices.Concat(
		of(schema, Stated, Real, "tx_id tx_start_time tx_end_time"),
		one(schema, "response_time_secs", Stated, Real, "", "what it measures is chosen"),
		one(schema, "tenant_id", Stated, Real, "", "that it is the tenant's short name is public"),
	)
}

// reports returns the fields with the ids of a company's reports.
func reports(schema string) []Field {
	return slices.Concat(
		one(schema, "c_report_id", Stated, Real, "", "its format is public"),
		one(schema, "l_report_id", Stated, Real, "", "its format is public"),
	)
}

// cleansed returns the fields of the cleansed input of a version.
func cleansed(schema, more string) []Field {
	return slices.Concat(
		of(schema, Stated, Derived, "companyName website phoneNumber "+more+
			" address.streetAddr address.city address.state address.zipOrPostalCode address.country"),
		one(schema, "confidence_score", Stated, Synthetic, "", "its meaning is chosen: how much of name and address could be resolved"),
	)
}

// fields returns the fields of every schema of a response.
func fields() []Field {
	return slices.Concat(
		tokenFields,
		of("UploadURL", Stated, Real, "tx_id upload_url"),
		one("Upload", "data", Stated, Real, "", "the format of the location is chosen"),
		head("Trigger"), of("Trigger", Stated, Real, "status"),
		head("StatusFields"), of("StatusFields", Stated, Real, "user_id"), reports("StatusFields"),
		one("StatusFields", "status", Stated, Real, "setting status_vocabulary", "two vocabularies are stated; when each is used is chosen"),
		one("StatusV4", "tx_status", Public, Real, "outcomes", "Review_required needs an outcome, or a file name with .review."),

		head("CompanyFields"), of("CompanyFields", Stated, Real, "user_id"), reports("CompanyFields"),
		head("InquiryHead"), of("InquiryHead", Stated, Real, "user_id data_package_id"), reports("InquiryHead"),
		one("InquiryHead", "doc_reference_id", Stated, Real, "setting trailing_whitespace", ""),
		one("ReportInquiry", "data_package_id", Stated, Real, "", ""),
		one("CompanyInquiryV5", "additional_data", Public, Real, "", "that it is empty is chosen"),
		one("LocationInquiryV5", "additional_data", Public, Real, "", "that it is empty is chosen"),

		of("SeedInput", Stated, Real, "company_name address"),
		cleansed("CleansedInput", "bureauNumber address.countryISOCode"),
		cleansed("ReportCleansedInput", ""),
		of("CleansedSeedInput", Stated, Derived, "companyName address.streetAddr address.city address.state address.zipOrPostalCode address.country"),
		of("GeoPosition", Stated, Synthetic, "latitude longitude"),
		vocabulary("Facts", field.Facts), vocabulary("Options", field.Options),
		vocabulary("LocationFacts", field.LocationFacts), vocabulary("LocationOptions", field.LocationOptions),
		vocabulary("Report", field.Report),
		of("Codes", Stated, Real, "[].code [].desc"),
		one("Scores", "*", Stated, Synthetic, "", "names and type are stated; the range is public; the numbers are the emulator's own"),
		one("LocationScores", "*", Stated, Synthetic, "", "names and type are stated; the range is public; the numbers are the emulator's own"),
		one("ReportScores", "*", Stated, Synthetic, "", "names and type are stated; the range is public; the numbers are the emulator's own"),

		of("Hook", Stated, Real, "id active events config.url config.header owner_id tenant_id created_at updated_at"),
		one("Hook", "confirmed", Stated, Real, "", "always false"),
		one("Hook", "config.secret", Stated, Real, "", "always empty"),
		of("HookRequest", Public, Real, "id tenant_id delivery_id event enqueued_at redelivery hook_id created_at updated_at response_status response_duration_ms"),
		of("HooksInvalid", Stated, Real, "url header"),
		of("HooksInvalid", Chosen, Real, "secret events active base"),
		of("HooksError", Chosen, Real, "status error"),
		of("Message", Chosen, Real, "message"),
		of("NotComplete", Chosen, Real, "message status"),
		of("Healthy", Chosen, Real, "status"),
	)
}

var tokenFields = slices.Concat(
	of("Token", Stated, Real, "token_type expires_in scope uid info.name info.email info.first_name info.last_name"),
	one("Token", "access_token", Stated, Real, "", "that it is a JWT is chosen"),
	one("Token", "refresh_token", Stated, Real, "", "how it is used is chosen"),
	of("RawInfo", Stated, Real, `user_id tenant_id tenant_name tenant_subdomain tenant_theme tenant_type primary_user_group_id
		user_group_ids name email first_name last_name phone auth_uid created_at tenant_created_at completed_steps
		accepted_agreements plan_sku sub_status`),
	one("RawInfo", "permissions", Stated, Real, "permissions of POST /control/v1/tenants", "the strings of webhooks are chosen"),
	one("TokenError", "error", Chosen, Real, "", "RFC 6749, section 5.2"),
	one("TokenError", "error_description", Chosen, Real, "", "RFC 6749, section 5.2"),
)
