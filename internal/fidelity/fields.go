package fidelity

import (
	"slices"
	"strings"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// schemaFields returns fields of a schema that have the same label and value. The names
// are separated by spaces.
func schemaFields(schema string, label Label, value Value, names string) []Field {
	var list []Field
	for name := range strings.FieldsSeq(names) {
		list = append(list, Field{Schema: schema, Name: name, Label: label, Value: value})
	}
	return list
}

// schemaField returns one field of a schema. Its switch and its note may be empty.
func schemaField(schema, name string, label Label, value Value, toggle, note string) []Field {
	return []Field{{schema, name, label, value, toggle, note}}
}

// derived are the fields that enrichment may conclude from others where no value
// was extracted. A test compares them with what enrichment fills in.
var derived = []string{
	"address", "city", "state", "postal_code", "country", "legal_entity_type", "company_jurisdiction",
	"registered_in_countries", "assets_in_countries", "risk_country",
	"location_address", "location_city", "location_state", "location_postal_code", "location_country", "location_id",
	"address_1", "auto", "target_premium", "workers_comp_estimated_annual_payroll", "normalized_product", "normalized_coverage", "lob",
	"total_number_of_locations", "location_doc_id", "location_occupancy_description", "atc_occupancy_description",
}

// ValueOf returns where the values of a data field come from, and how they are made if
// they are synthetic.
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

const unknownNumber = `"" if unknown, never 0 (stated)`

// dataFields returns the fields of a data object, whose names are stated.
func dataFields(schema string, names []field.Field) []Field {
	var list []Field
	for _, f := range names {
		row := Field{Schema: schema, Name: f.Name, Label: Stated}
		row.Value, row.Note = ValueOf(f.Name)
		switch f.Kind {
		case field.Money:
			row.Note = strings.TrimPrefix(row.Note+"; thousands separators and two decimals (public)", "; ")
		case field.Integer:
			row.Note = strings.TrimPrefix(row.Note+"; "+unknownNumber, "; ")
		}
		list = append(list, row)
	}
	return list
}

// head returns the fields with which submit, status, company and data responses
// begin.
func head(schema string) []Field {
	return slices.Concat(
		schemaFields(schema, Stated, Real, "tx_id tx_start_time tx_end_time"),
		schemaField(schema, "response_time_secs", Stated, Real, "", "the seconds between tx_start_time and tx_end_time (chosen)"),
		schemaField(schema, "tenant_id", Stated, Real, "", "the short name of the tenant (public)"),
	)
}

// reportIDs returns the fields with the ids of a company's reports.
func reportIDs(schema string) []Field {
	return slices.Concat(
		schemaField(schema, "c_report_id", Stated, Real, "", "the format is public"),
		schemaField(schema, "l_report_id", Stated, Real, "", "the format is public"),
	)
}

// cleansed returns the fields of the cleansed input of a version.
func cleansed(schema, more string) []Field {
	return slices.Concat(
		schemaFields(schema, Stated, Derived, "companyName website phoneNumber "+more+
			" address.streetAddr address.city address.state address.zipOrPostalCode address.country"),
		schemaField(schema, "confidence_score", Stated, Synthetic, "", "how much of the name and the address could be resolved (chosen); "+unknownNumber),
	)
}

// fields returns the fields of every schema of a response.
func fields() []Field {
	return slices.Concat(
		tokenFields,
		schemaFields("UploadURL", Stated, Real, "tx_id upload_url"),
		schemaField("Upload", "data", Stated, Real, "", "an s3:// URL; control characters and path separators of the file name appear as `_` (chosen)"),
		head("Trigger"), schemaFields("Trigger", Stated, Real, "status"),
		head("StatusFields"), schemaFields("StatusFields", Stated, Real, "user_id"), reportIDs("StatusFields"),
		schemaField("StatusFields", "status", Stated, Real, "tenant setting status_vocabulary", "two vocabularies (stated), selected by a tenant setting (chosen)"),
		schemaField("StatusV4Fields", "tx_status", Public, Real, "outcomes of the control API", "Review_required needs an outcome, or a file name that contains .review."),

		schemaFields("StatusDetails", Chosen, Real, `files[].filename files[].format files[].note
			data_packages[].data_package_id data_packages[].tx_status data_packages[].tx_start_time data_packages[].tx_end_time`),
		schemaField("StatusDetails", "files[].status", Chosen, Real, "", "INCOMPLETE for a file that was skipped or read only in part"),

		head("CompanyFields"), schemaFields("CompanyFields", Stated, Real, "user_id"), reportIDs("CompanyFields"),
		head("InquiryHead"), schemaFields("InquiryHead", Stated, Real, "user_id data_package_id"), reportIDs("InquiryHead"),
		schemaField("InquiryHead", "doc_reference_id", Stated, Real, "tenant setting trailing_whitespace", ""),
		schemaField("ReportInquiry", "data_package_id", Stated, Real, "", ""),
		schemaField("CompanyHeadV5", "additional_data", Public, Real, "", "always empty (chosen)"),
		schemaField("LocationHeadV5", "additional_data", Public, Real, "", "always empty (chosen)"),

		schemaFields("SeedInput", Stated, Real, "company_name address"),
		cleansed("CleansedInput", "bureauNumber address.countryISOCode"),
		cleansed("ReportCleansedInput", ""),
		schemaFields("CleansedSeedInput", Stated, Derived, "companyName address.streetAddr address.city address.state address.zipOrPostalCode address.country"),
		schemaField("GeoPosition", "latitude", Stated, Synthetic, "", unknownNumber),
		schemaField("GeoPosition", "longitude", Stated, Synthetic, "", unknownNumber),
		dataFields("Facts", field.Facts), dataFields("Options", field.Options),
		dataFields("LocationFacts", field.LocationFacts), dataFields("LocationOptions", field.LocationOptions),
		dataFields("Report", field.Report),
		version5Fields(),
		schemaField("AutoInquiry", "data[].options", Public, Real, "", "always empty"),
		schemaField("WorkersCompensationInquiry", "data[].options", Public, Real, "", "always empty"),
		schemaField("LossRunInquiry", "data[].facts", Public, Real, "", "always empty"),
		schemaFields("Codes", Stated, Real, "[].code [].desc"),
		schemaField("Scores", "*", Stated, Synthetic, "", "field names and type (stated), from 0.00 to 100.00 (public), calculated by the emulator (chosen)"),
		schemaField("ContentScores", "*", Public, Synthetic, "", "from 0.00 to 100.00, calculated by the emulator (chosen)"),
		schemaField("LocationScores", "*", Stated, Synthetic, "", "field names and type (stated), from 0.00 to 100.00 (public), calculated by the emulator (chosen)"),
		schemaField("ReportScores", "*", Stated, Synthetic, "", "field names and type (stated), from 0.00 to 100.00 (public), calculated by the emulator (chosen)"),

		schemaFields("Hook", Stated, Real, "id active events config.url config.header owner_id tenant_id created_at updated_at"),
		schemaField("Hook", "confirmed", Stated, Real, "", "always false"),
		schemaField("Hook", "config.secret", Stated, Real, "", "always empty"),
		schemaFields("HookRequest", Public, Real, "id tenant_id delivery_id event enqueued_at redelivery hook_id created_at updated_at response_status response_duration_ms"),
		schemaFields("HooksInvalid", Stated, Real, "url header"),
		schemaFields("HooksInvalid", Chosen, Real, "secret events active base"),
		schemaFields("HooksError", Chosen, Real, "status error"),
		schemaFields("Message", Chosen, Real, "message"),
		schemaFields("NotComplete", Chosen, Real, "message status"),
		schemaFields("Healthy", Chosen, Real, "status version"),
		schemaFields("Ready", Chosen, Real, "status"),
		schemaFields("NotReady", Chosen, Real, "message status components.server.status"),
		schemaFields("DatabaseHealth", Chosen, Real, "status since"),
		schemaFields("ObjectStoreHealth", Chosen, Real, "status since"),
		schemaFields("ParsersHealth", Chosen, Real, "status since"),
	)
}

var tokenFields = slices.Concat(
	schemaFields("Token", Stated, Real, "token_type expires_in scope uid info.name info.email info.first_name info.last_name"),
	schemaField("Token", "access_token", Stated, Real, "", "a JWT (chosen)"),
	schemaField("Token", "refresh_token", Stated, Real, "", "for the grant refresh_token (chosen)"),
	schemaFields("RawInfo", Stated, Real, `user_id tenant_id tenant_name tenant_subdomain tenant_theme tenant_type primary_user_group_id
		user_group_ids name email first_name last_name phone auth_uid created_at tenant_created_at completed_steps
		accepted_agreements plan_sku sub_status`),
	schemaField("RawInfo", "permissions", Stated, Real, "permissions of POST /control/v1/tenants", "the permission strings for webhook calls are chosen"),
	schemaField("SlowDown", "error", Chosen, Real, "", ""),
	schemaField("TokenError", "error", Chosen, Real, "", "RFC 6749, section 5.2"),
	schemaField("TokenError", "error_description", Chosen, Real, "", "RFC 6749, section 5.2"),
)
