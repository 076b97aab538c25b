package data

import (
	"maps"
	"math"
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

// additionalBody holds the field that version 5 adds.
type additionalBody struct {
	AdditionalData struct{} `json:"additional_data"`
}

// companyBody returns the company data of a transaction, as the package shows it.
func (v version) companyBody(head headV2, p Package, company enrich.Report) any {
	type leading struct {
		headV2
		SeedInput     enrich.Seed     `json:"seed_input"`
		CleansedInput enrich.Cleansed `json:"cleansed_input"`
	}
	first := leading{head, company.Seed, cleansedBody(company.Cleansed)}
	record := scoredRecordBody{
		recordBody{
			fieldsBody{p.shows(field.Facts), company.Facts.Values},
			fieldsBody{p.shows(field.Options), company.Options.Values},
		},
		scoresBody(p, company.Facts, company.Options),
	}
	if v == v5 {
		return struct {
			leading
			Data []scoredRecordBody `json:"data"`
			additionalBody
		}{first, []scoredRecordBody{record}, additionalBody{}}
	}
	return struct {
		leading
		Data   recordBody        `json:"data"`
		Scores map[string]string `json:"scores"`
	}{first, record.recordBody, record.Scores}
}

// locationsBody returns the location data of a transaction, as the package shows it.
func (v version) locationsBody(head headV2, p Package, locations []enrich.Location) any {
	type body struct {
		headV2
		Data []scoredRecordBody `json:"data"`
	}
	facts, options := p.shows(field.LocationFacts), p.shows(field.LocationOptions)
	data := make([]scoredRecordBody, len(locations))
	for i, location := range locations {
		data[i] = scoredRecordBody{
			recordBody{fieldsBody{facts, location.Facts.Values}, fieldsBody{options, location.Options.Values}},
			scoresBody(p, location.Facts, location.Options),
		}
	}
	if v == v5 {
		return struct {
			body
			additionalBody
		}{body{head, data}, additionalBody{}}
	}
	return body{head, data}
}

// CompanyHead is the body of the response to a company submit, and the first fields of
// the data of version 1. Only the data name a data package.
type CompanyHead struct {
	TxID             string      `json:"tx_id"`
	TenantID         string      `json:"tenant_id"`
	UserID           uuid.UUID   `json:"user_id"`
	TxStartTime      api.Time    `json:"tx_start_time"`
	TxEndTime        api.Time    `json:"tx_end_time"`
	ResponseTimeSecs float64     `json:"response_time_secs"`
	SeedInput        enrich.Seed `json:"seed_input"`
	DataPackageID    string      `json:"data_package_id,omitempty"`
	CReportID        string      `json:"c_report_id"`
	LReportID        string      `json:"l_report_id"`
}

// NewCompanyHead returns the head of the response to a call that ends at the given
// time and is about the report with the ids.
func NewCompanyHead(caller auth.Caller, txID string, seed enrich.Seed, ids ReportIDs, end time.Time) CompanyHead {
	return CompanyHead{
		TxID:             txID,
		TenantID:         caller.TenantName,
		UserID:           caller.UserID,
		TxStartTime:      api.Time(caller.Now),
		TxEndTime:        api.Time(end),
		ResponseTimeSecs: api.Seconds(caller.Now, end),
		SeedInput:        seed,
		CReportID:        ids.Company,
		LReportID:        ids.Location,
	}
}

// CompanyV1 returns the company data of a report in version 1, as the package shows
// it, after the head.
func CompanyV1(head CompanyHead, p Package, company enrich.Report) any {
	head.DataPackageID = p.ID
	values := maps.Clone(company.V1.Values)
	if values == nil {
		values = map[string]any{}
	}
	values["company_id"] = head.CReportID
	return struct {
		CompanyHead
		CleansedInput cleansedV1        `json:"cleansed_input"`
		Data          fieldsBody        `json:"data"`
		Scores        map[string]string `json:"scores"`
	}{
		head,
		cleansedV1(cleansedBody(company.Cleansed)),
		fieldsBody{p.shows(field.Report), values},
		scoresBody(p, company.V1),
	}
}

// cleansedV1 is enrich.Cleansed as version 1 shows it: without countryISOCode and
// bureauNumber.
type cleansedV1 struct {
	CompanyName     string  `json:"companyName"`
	Website         string  `json:"website"`
	PhoneNumber     string  `json:"phoneNumber"`
	ConfidenceScore float64 `json:"confidence_score"`
	Address         struct {
		StreetAddr      string             `json:"streetAddr"`
		City            string             `json:"city"`
		State           string             `json:"state"`
		ZipOrPostalCode string             `json:"zipOrPostalCode"`
		Country         string             `json:"country"`
		CountryISOCode  string             `json:"-"`
		GeoPosition     enrich.GeoPosition `json:"geoPosition"`
	} `json:"address"`
	SeedInput    enrich.SeedInput `json:"seedInput"`
	BureauNumber string           `json:"-"`
}

// cleansedBody returns the cleansed input with its confidence score as responses
// show it: 0 to 100, rounded to two decimals.
func cleansedBody(c enrich.Cleansed) enrich.Cleansed {
	c.ConfidenceScore = math.Round(10_000*min(max(c.ConfidenceScore, 0), 1)) / 100
	return c
}
