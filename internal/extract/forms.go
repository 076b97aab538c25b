package extract

import (
	"strings"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/sites"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

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
		if target, ok := vocabulary.FormFields("value")[name]; ok {
			if target == "broker_name" || target == "company_name" {
				r := assign.New(d.Set)
				r.ProposeName(target, value, source.Form, 1, l.At)
			} else {
				d.Propose(target, value, source.Form, 1, l.At)
			}
		}
		if limit, ok := vocabulary.FormFields("limit")[name]; ok {
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
		assign.New(d.Set).Answer(m[1], value, false, l.At)
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
