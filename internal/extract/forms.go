package extract

import (
	"strings"

	"understudy.example/internal/extract/labelled"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/sites"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// formFields are the fields of ACORD forms, without the suffix _A, that state one
// value.
var formFields = map[string]string{
	"NamedInsured_FullName": "company_name", "ACORD_Policy_Insured1_Name": "company_name",
	"NamedInsured_Primary_WebsiteAddress": "website", "ACORD_Policy_Insured1_Website": "website",
	"NamedInsured_Primary_PhoneNumber": "phone_number", "ACORD_Policy_Insured1_PhoneNumber": "phone_number",
	"NamedInsured_Primary_EmailAddress": "email_id", "ACORD_Policy_Insured1_MailingAddress": "address",
	"NamedInsured_NAICSCode": "primary_naics_2012", "ACORD_Policy_Insured1_NAICS": "primary_naics_2012",
	"ACORD_Policy_Insured1_FEINSSN": "fein", "ACORD_NatureOfBusiness_Description": "company_description", "ACORD_NatureOfBusiness_StartDate": "year_founded",
	"ACORD_CarrierName": "insurer", "ACORD_Contact1_Name": "contact_name", "NamedInsured_TaxIdentifier": "fein", "NamedInsured_BusinessStartDate": "year_founded",
	"BusinessInformation_FullTimeEmployeeCount": "total_full_time_employees", "BusinessInformation_PartTimeEmployeeCount": "total_part_time_employees",
	"CommercialPolicy_OperationsDescription": "company_description", "NamedInsured_Contact_FullName": "contact_name",
	"Producer_FullName": "broker_name", "ACORD_AgencyName": "broker_name",
	"Producer_MailingAddress_CityName": "broker_city", "Producer_MailingAddress_StateOrProvinceCode": "broker_state",
	"Producer_MailingAddress_PostalCode": "broker_postal_code",
	"Producer_ContactPerson_FullName":    "broker_contact_points", "ACORD_ProducerContact": "broker_contact_points",
	"Producer_ContactPerson_PhoneNumber": "broker_contact_phone", "ACORD_ProducerPhoneNumber": "broker_contact_phone",
	"Producer_ContactPerson_EmailAddress": "broker_email", "ACORD_ProducerEmailAddress": "broker_email",
	"Insurer_Underwriter_FullName": "underwriter", "ACORD_Underwriter": "underwriter",
	"Insurer_Underwriter_OfficeIdentifier": "field_office", "ACORD_UnderwriterOffice": "field_office",
	"Insurer_ProductDescription": "programme_type", "ACORD_ProgramName": "programme_type",
	"Insurer_FullName":     "insurer",
	"Policy_EffectiveDate": "policy_inception_date", "ACORD_Policy_EffectiveDate": "policy_inception_date",
	"Policy_ExpirationDate": "end_date", "ACORD_Policy_ExpirationDate": "end_date",
	"Policy_Status_EffectiveTime": "policy_inception_effective_time", "ACORD_Transaction_Time": "policy_inception_effective_time",
	"Form_CompletionDate": "document_date", "ACORD_CurrentDate": "document_date",
	"Policy_Payment_EstimatedTotalAmount": "estimated_premium", "ACORD_Policy_PolicyPremium": "estimated_premium",
	"CommercialProperty_Summary_BlanketLimitAmount": "100_pct_limit",
}

// formBoxes are check boxes: a part of the field's name, the field that the box
// states, and the words for it.
var formBoxes = []struct {
	form  *lazyregexp.Regexp
	field string
}{
	{lazyregexp.New(`^Policy_LineOfBusiness_(?:CommercialLineOfBusiness_)?(\w+?)(?:LineOfBusiness)?Indicator`), "product"},
	{lazyregexp.New(`^ACORD_LOB_([A-Za-z]+)$`), "product"},
	{lazyregexp.New(`^ACORD_Policy_Insured1_Type_([A-Za-z]+)$`), "legal_entity_type"},
	{lazyregexp.New(`^ACORD_Transaction_(Quote|Bound|Renew|Cancel|Change|IssuePolicy)$`), "form_submission_type"},
	{lazyregexp.New(`^NamedInsured_LegalEntity_(\w+?)Indicator`), "legal_entity_type"},
	{lazyregexp.New(`^Policy_Status_(\w+?)Indicator`), "form_submission_type"},
}

// readForms extracts the fields of ACORD forms by their names.
func (d *extractor) readForms() {
	addresses := map[string][]string{}
	order := []string{}
	var revenue parse.Amount // of all premises
	var revenueAt source.Place
	places := map[string]source.Place{}
	for _, l := range d.Lines {
		m := pairs.FormName.FindStringSubmatch(l.Label)
		value := strings.TrimSpace(l.Value)
		if m == nil || value == "" || strings.EqualFold(value, "off") {
			continue
		}
		if strings.HasPrefix(m[1], "CommercialStructure_AnnualRevenueAmount") || sites.OldSite.MatchString(m[1]) && strings.HasSuffix(m[1], "_AnnualRevenue") {
			if a, _, ok := parse.Money(value); ok && a > 0 && revenue < parse.MostCents {
				revenue, revenueAt = revenue+a, l.At
			}
			continue
		}
		if suffix := pairs.FormSuffix.FindString(m[1]); suffix != "" && suffix != "_A" {
			continue // a second insured, a second premises
		}
		name := pairs.FormSuffix.ReplaceAllString(m[1], "")
		if target, ok := formFields[name]; ok {
			if target == "broker_name" || target == "company_name" {
				r := labelled.New(d.Set, nil)
				r.GiveName(target, value, source.Form, 1, l.At)
			} else {
				d.Propose(target, value, source.Form, 1, l.At)
			}
		}
		if limit, ok := labelled.FormLimits[name]; ok {
			d.Propose(field.NamedLimits, limit+": "+value, source.Form, 1, l.At)
		}
		if owner, _, ok := strings.Cut(name, "_MailingAddress_"); ok {
			if addresses[owner] == nil {
				order = append(order, owner)
				places[owner] = l.At
			}
			addresses[owner] = append(addresses[owner], value)
		}
		for _, box := range formBoxes {
			if m := box.form.FindStringSubmatch(name); m != nil && pairs.BoxOn.MatchString(value) {
				d.Propose(box.field, strings.TrimSpace(words.Spread(m[1])), source.Form, 1, l.At)
			}
		}
		labelled.New(d.Set, nil).Answer(m[1], value, false, l.At)
	}
	if revenue > 0 {
		d.Propose("annual_revenue", revenue.String(), source.Form, 1, revenueAt)
	}
	for _, owner := range order {
		switch owner {
		case "NamedInsured":
			d.Propose("address", strings.Join(addresses[owner], ", "), source.Form, 1, places[owner])
		case "Producer":
			d.Propose("broker_address", strings.Join(addresses[owner], ", "), source.Form, 1, places[owner])
		}
	}
}
