package conform

import (
	"net/http"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

const (
	companyBody = `{"company_name":"Harbour Lane Brewery Inc","address":"5 Dock Road, Portland, ME 04101"}`
	reportHead  = `tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time response_time_secs:number
		seed_input:object data_package_id:text c_report_id:text l_report_id:text cleansed_input:object data:object scores:object`
)

// company submits a company and reads its report.
func (r *run) company() {
	if r.token == "" {
		r.skip("company", "there is no token")
		return
	}
	got := r.expect("company submit", "", r.call("POST /company/v1/company_submit").with(companyBody), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.shape("company submit", fidelity.Stated, got.at(), `tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time
		response_time_secs:number seed_input:object c_report_id:text l_report_id:text`)
	r.same("company submit, company_name", fidelity.Stated, "Harbour Lane Brewery Inc", got.string("seed_input", "company_name"))
	r.same("company submit, address", fidelity.Stated, "5 Dock Road, Portland, ME 04101", got.string("seed_input", "address"))
	r.row("company submit, c_report_id", fidelity.Public, "like CUS1187A2AAE214E4540", got.string("c_report_id"), isText(got.at("c_report_id"), `C[A-Z]{2}[0-9A-Z]+`))
	r.row("company submit, l_report_id", fidelity.Public, "like LUS1187A2AAE214E4540", got.string("l_report_id"), isText(got.at("l_report_id"), `L[A-Z]{2}[0-9A-Z]+`))
	r.reportInquiry("report", "", got.string("c_report_id"))
}

// reportInquiry reads a company by its report id, version 1.
func (r *run) reportInquiry(name string, label fidelity.Label, id string) {
	got := r.expect(name, label, r.call("GET /data/v1/"+r.target.CompanyPackage+"/"+id), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.shape(name, fidelity.Stated, got.at(), reportHead)
	r.same(name+", company_id", fidelity.Stated, id, got.string("data", "company_id"))
	r.cleansed(name, got, "", "")
	r.shape(name+", data", fidelity.Stated, got.at("data"), vocabulary(field.Report))
	r.scored(name, got.at("scores"))
	r.forms(name, got.at("data"), got.at("scores"), field.Report...)
}
