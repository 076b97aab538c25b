package conform

import (
	"net/http"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

const (
	companyBody  = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	reportFields = `tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time response_time_secs:number
		seed_input:object data_package_id:text c_report_id:text l_report_id:text cleansed_input:object data:object scores:object`
)

// company submits a company and reads its report.
func (r *run) company() {
	if r.token == "" {
		r.skip("company", "no access token")
		return
	}
	got := r.expect("company submit", "", r.apiRequest("POST /company/v1/company_submit").withJSON(companyBody), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.checkShape("company submit", fidelity.Stated, got.value(), `tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time
		response_time_secs:number seed_input:object c_report_id:text l_report_id:text`)
	r.recordEqual("company submit, company_name", fidelity.Stated, "Harbour Lane Brewery Inc", got.stringValue("seed_input", "company_name"))
	r.recordEqual("company submit, address", fidelity.Stated, "5 Dock Road, Portland, ME 04101", got.stringValue("seed_input", "address"))
	r.record("company submit, c_report_id", fidelity.Public, "like CUS1187A2AAE214E4540", got.stringValue("c_report_id"), matches(got.value("c_report_id"), `C[A-Z]{2}[0-9A-Z]+`))
	r.record("company submit, l_report_id", fidelity.Public, "like LUS1187A2AAE214E4540", got.stringValue("l_report_id"), matches(got.value("l_report_id"), `L[A-Z]{2}[0-9A-Z]+`))
	r.reportInquiry("report", "", got.stringValue("c_report_id"))
}

// reportInquiry reads a company report by its ID, which is version 1 of data.
func (r *run) reportInquiry(name string, label fidelity.Label, id string) {
	got := r.expect(name, label, r.apiRequest("GET /data/v1/"+r.target.CompanyPackage+"/"+id), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.checkShape(name, fidelity.Stated, got.value(), reportFields)
	r.recordEqual(name+", company_id", fidelity.Stated, id, got.stringValue("data", "company_id"))
	r.checkCleansedInput(name, got, "", "")
	r.checkShape(name+", data", fidelity.Stated, got.value("data"), fieldShape(field.Report))
	r.checkScores(name, got.value("scores"))
	r.checkFormats(name, got.value("data"), got.value("scores"), field.Report...)
}
