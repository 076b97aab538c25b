package data

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// headV2 holds the first fields of both shapes from version 2 on.
type headV2 struct {
	TxID             string    `json:"tx_id"`
	TxStartTime      api.Time  `json:"tx_start_time"`
	TxEndTime        api.Time  `json:"tx_end_time"`
	ResponseTimeSecs string    `json:"response_time_secs"`
	DataPackageID    string    `json:"data_package_id"`
	TenantID         string    `json:"tenant_id"`
	UserID           uuid.UUID `json:"user_id"`
	CReportID        string    `json:"c_report_id"`
	LReportID        string    `json:"l_report_id"`
	DocReferenceID   string    `json:"doc_reference_id"`
}

func newHeadV2(caller auth.Caller, inquiryID uuid.UUID, dataPackage Package, report storedReport) headV2 {
	end := caller.Time()
	head := headV2{
		TxID:             inquiryID.String(),
		TxStartTime:      api.Time(caller.Now),
		TxEndTime:        api.Time(end),
		ResponseTimeSecs: strconv.FormatFloat(api.Seconds(caller.Now, end), 'f', -1, 64),
		DataPackageID:    dataPackage.ID,
		TenantID:         caller.TenantName,
		UserID:           caller.UserID,
		CReportID:        report.CReportID,
		LReportID:        report.LReportID,
		DocReferenceID:   report.TxID,
	}
	if caller.Settings.TrailingWhitespace {
		head.DocReferenceID += " "
	}
	return head
}

// recordBody is the facts and options of one company or location.
type recordBody struct {
	Facts   fieldsBody `json:"facts"`
	Options fieldsBody `json:"options"`
}

// scoredRecordBody is a record and its scores.
type scoredRecordBody struct {
	recordBody
	Scores map[string]string `json:"scores"`
}

// companyLead holds the fields of company data between the head and `data`.
type companyLead struct {
	SeedInput     enrich.Seed  `json:"seed_input"`
	CleansedInput cleansedBody `json:"cleansed_input"`
}

// companyFields returns the company data of a transaction after the head, as the package
// shows it. createdAt is the tenant's time of the report.
func (v version) companyFields(p Package, company enrich.Report, createdAt time.Time) any {
	lead := companyLead{company.Seed, newCleansedBody(company.Cleansed)}
	if v == v5 {
		return struct {
			companyLead
			Data           []scoredRecordBody `json:"data"`
			AdditionalData struct{}           `json:"additional_data"`
		}{lead, []scoredRecordBody{p.element(company.Version5(createdAt), company.Packages)}, struct{}{}}
	}
	facts, options := p.shows(field.Facts), p.shows(field.Options)
	return struct {
		companyLead
		Data   recordBody        `json:"data"`
		Scores map[string]string `json:"scores"`
	}{
		lead,
		recordBody{fieldsBody{facts, company.Facts.Values}, fieldsBody{options, company.Options.Values}},
		scoresBody(slices.Concat(facts, options), company.Facts, company.Options),
	}
}

// locationsFields returns the location data of a transaction after the head, as the
// package shows it: the fields without the elements of `data`, and the elements.
func (v version) locationsFields(p Package, lReportID string, locations iter.Seq2[enrich.Location, error]) (any, iter.Seq2[any, error]) {
	type body struct {
		Data [0]scoredRecordBody `json:"data"`
	}
	if v == v5 {
		return struct {
			body
			AdditionalData struct{} `json:"additional_data"`
		}{}, mapLocations(locations, func(location enrich.Location) scoredRecordBody {
			values := location.Version5()
			if p.Content != nil {
				values.Values["location_id"] = lReportID
				delete(values.Scores, "location_id")
			}
			return p.element(values, location.Packages)
		})
	}
	facts, options := p.shows(field.LocationFacts), p.shows(field.LocationOptions)
	fields := slices.Concat(facts, options)
	return body{}, mapLocations(locations, func(location enrich.Location) scoredRecordBody {
		return scoredRecordBody{
			recordBody{fieldsBody{facts, location.Facts.Values}, fieldsBody{options, location.Options.Values}},
			scoresBody(fields, location.Facts, location.Options),
		}
	})
}

// mapLocations returns the element of `data` for each location.
func mapLocations(locations iter.Seq2[enrich.Location, error], element func(enrich.Location) scoredRecordBody) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for location, err := range locations {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(element(location), nil) {
				return
			}
		}
	}
}

// element returns an element of `data` in version 5. set are the values that an outcome
// sets, by content.
func (p Package) element(values enrich.Record, set map[string]enrich.Record) scoredRecordBody {
	content := p.content()
	for name, value := range set[content.Name].Values {
		values.Values[name], values.Scores[name] = value, set[content.Name].Scores[name]
	}
	facts, options := p.shows(content.Facts), p.shows(content.Options)
	return scoredRecordBody{
		recordBody{fieldsBody{facts, values.Values}, fieldsBody{options, values.Values}},
		scoresBody(slices.Concat(facts, options), values),
	}
}

// CompanyHead is the body of the response to a company submit, and the first fields of
// the data of version 1. DataPackageID is set in data responses only.
type CompanyHead struct {
	headV1
	reportHead
}

// headV1 holds the first fields of version 1, which differ from call to call.
type headV1 struct {
	TxID             string    `json:"tx_id"`
	TenantID         string    `json:"tenant_id"`
	UserID           uuid.UUID `json:"user_id"`
	TxStartTime      api.Time  `json:"tx_start_time"`
	TxEndTime        api.Time  `json:"tx_end_time"`
	ResponseTimeSecs float64   `json:"response_time_secs"`
}

func newHeadV1(caller auth.Caller, txID string, end time.Time) headV1 {
	return headV1{
		TxID:             txID,
		TenantID:         caller.TenantName,
		UserID:           caller.UserID,
		TxStartTime:      api.Time(caller.Now),
		TxEndTime:        api.Time(end),
		ResponseTimeSecs: api.Seconds(caller.Now, end),
	}
}

// reportHead holds the fields of version 1 that identify the report.
type reportHead struct {
	SeedInput     enrich.Seed `json:"seed_input"`
	DataPackageID string      `json:"data_package_id,omitempty"`
	CReportID     string      `json:"c_report_id"`
	LReportID     string      `json:"l_report_id"`
}

// NewCompanyHead returns the head of the response to a call that ends at the given
// time and is about the report with the ids.
func NewCompanyHead(caller auth.Caller, txID string, seed enrich.Seed, ids ReportIDs, end time.Time) CompanyHead {
	return CompanyHead{newHeadV1(caller, txID, end), reportHead{SeedInput: seed, CReportID: ids.Company, LReportID: ids.Location}}
}

// companyV1 holds the fields of version 1 that depend only on the report and the package.
type companyV1 struct {
	reportHead
	CleansedInput cleansedV1        `json:"cleansed_input"`
	Data          fieldsBody        `json:"data"`
	Scores        map[string]string `json:"scores"`
}

func newCompanyV1(ids ReportIDs, p Package, company enrich.Report) companyV1 {
	values := maps.Clone(company.V1.Values)
	if values == nil {
		values = map[string]any{}
	}
	values["company_id"] = ids.Company
	fields := p.shows(field.Report)
	return companyV1{
		reportHead{company.Seed, p.ID, ids.Company, ids.Location},
		newCleansedBody(company.Cleansed).version1(),
		fieldsBody{fields, values},
		scoresBody(fields, company.V1),
	}
}

// CompanyV1 returns the company data of a report in version 1, as the package shows
// it, after the head.
func CompanyV1(head CompanyHead, p Package, company enrich.Report) any {
	fields := newCompanyV1(ReportIDs{head.CReportID, head.LReportID}, p, company)
	fields.SeedInput = head.SeedInput
	return struct {
		headV1
		companyV1
	}{head.headV1, fields}
}
