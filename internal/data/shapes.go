package data

import (
	"math"
	"strconv"

	"github.com/google/uuid"

	"understudy/internal/api"
	"understudy/internal/auth"
	"understudy/internal/enrich"
	"understudy/internal/field"
)

// headV2 is what both shapes of version 2 begin with.
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

func newHeadV2(caller auth.Caller, dataPackage Package, report stored) headV2 {
	end := caller.Time()
	head := headV2{
		TxID:             inquiryID(),
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

// companyV2 is the company data of a transaction, version 2.
func companyV2(head headV2, company enrich.Report) any {
	type data struct {
		Facts   shown `json:"facts"`
		Options shown `json:"options"`
	}
	cleansed := company.Cleansed
	cleansed.ConfidenceScore = percent(cleansed.ConfidenceScore)
	return struct {
		headV2
		SeedInput     enrich.Seed       `json:"seed_input"`
		CleansedInput enrich.Cleansed   `json:"cleansed_input"`
		Data          data              `json:"data"`
		Scores        map[string]string `json:"scores"`
	}{
		head, company.Seed, cleansed,
		data{shown{field.Facts, company.Facts.Values}, shown{field.Options, company.Options.Values}},
		scores(company.Facts, company.Options),
	}
}

// locationsV2 is the location data of a transaction, version 2.
func locationsV2(head headV2, locations []enrich.Location) any {
	type element struct {
		Facts   shown             `json:"facts"`
		Options shown             `json:"options"`
		Scores  map[string]string `json:"scores"`
	}
	elements := make([]element, len(locations))
	for i, location := range locations {
		elements[i] = element{
			shown{field.LocationFacts, location.Facts.Values},
			shown{field.LocationOptions, location.Options.Values},
			scores(location.Facts, location.Options),
		}
	}
	return struct {
		headV2
		Data []element `json:"data"`
	}{head, elements}
}

// companyV1 is the company data of a report, version 1.
func companyV1(caller auth.Caller, dataPackage Package, report stored) any {
	end := caller.Time()
	values := report.Company.V1.Values
	if values == nil {
		values = map[string]any{}
	}
	values["company_id"] = report.CReportID
	return struct {
		TxID             string            `json:"tx_id"`
		TenantID         string            `json:"tenant_id"`
		UserID           uuid.UUID         `json:"user_id"`
		TxStartTime      api.Time          `json:"tx_start_time"`
		TxEndTime        api.Time          `json:"tx_end_time"`
		ResponseTimeSecs float64           `json:"response_time_secs"`
		SeedInput        enrich.Seed       `json:"seed_input"`
		DataPackageID    string            `json:"data_package_id"`
		CReportID        string            `json:"c_report_id"`
		LReportID        string            `json:"l_report_id"`
		CleansedInput    cleansedV1        `json:"cleansed_input"`
		Data             shown             `json:"data"`
		Scores           map[string]string `json:"scores"`
	}{
		inquiryID(), caller.TenantName, caller.UserID,
		api.Time(caller.Now), api.Time(end), api.Seconds(caller.Now, end),
		report.Company.Seed, dataPackage.ID, report.CReportID, report.LReportID,
		newCleansedV1(report.Company.Cleansed),
		shown{field.Report, values},
		scores(report.Company.V1),
	}
}

// cleansedV1 is the cleansed input without the country's ISO code and the
// bureau's number.
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
		GeoPosition     enrich.GeoPosition `json:"geoPosition"`
	} `json:"address"`
	SeedInput enrich.SeedInput `json:"seedInput"`
}

func newCleansedV1(c enrich.Cleansed) cleansedV1 {
	v1 := cleansedV1{
		CompanyName:     c.CompanyName,
		Website:         c.Website,
		PhoneNumber:     c.PhoneNumber,
		ConfidenceScore: percent(c.ConfidenceScore),
		SeedInput:       c.SeedInput,
	}
	v1.Address.StreetAddr = c.Address.StreetAddr
	v1.Address.City = c.Address.City
	v1.Address.State = c.Address.State
	v1.Address.ZipOrPostalCode = c.Address.ZipOrPostalCode
	v1.Address.Country = c.Address.Country
	v1.Address.GeoPosition = c.Address.GeoPosition
	return v1
}

// percent is a score from 0 to 1 on the scale of answers, with two decimals.
func percent(score float64) float64 { return math.Round(10_000*min(max(score, 0), 1)) / 100 }
