package conform

import (
	"net/http"
	"strings"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// versions has the conversations that the specification only names, or that
// are known from public code alone.
func (r *run) versions() {
	if r.options.OnlyStated {
		return
	}
	if r.token == "" {
		r.skip("versions", "there is no token")
		return
	}
	for _, v := range []string{"v1", "v3", "v4"} {
		r.submitBy(v)
	}
	for _, v := range []string{"v3", "v4"} {
		r.submitDirectly(v)
	}
	large := sampleFile
	large.content += strings.Repeat(" ", directLimit-len(large.content))
	r.expect("v3 direct submission of 10 MB", "", r.call("POST /universal/v3/universal-submit/file").carrying(large), http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`)
	r.laterInquiries()
	r.quickSubmit()
	for _, line := range []string{"POST /location/v1/location_submit", "GET /audit/v1/report/CUS0"} {
		r.expect(line+", known only by name", "", r.call(line), http.StatusNotImplemented, `{"message":"Not Implemented"}`)
	}
}

// key is the status answer's key that tells how a submission stands, and how
// sure it is.
func key(version string) (string, fidelity.Label) {
	if version == "v4" {
		return "tx_status", fidelity.Public
	}
	return "status", fidelity.Chosen
}

// directLimit is the size, in bytes, from which files take the three calls.
const directLimit = 10 << 20

const (
	statusFields  = "tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time response_time_secs:number status:text c_report_id:text l_report_id:text"
	triggerFields = "tx_id:text tx_start_time:time tx_end_time:time response_time_secs:number tenant_id:text status:text"
)

// submitBy takes a file through a version of universal submit.
func (r *run) submitBy(version string) {
	txID, address := r.announce(version, fidelity.Chosen)
	if txID == "" || address == "" {
		return
	}
	r.expect(version+" upload", "", to("PUT", address).carrying(sampleFile), http.StatusOK, "")
	begun := r.expect(version+" trigger", "", r.call("POST /universal/"+version+"/universal-submit/file/"+txID), http.StatusOK, "")
	if begun.status == http.StatusOK {
		r.watch(version, version, txID)
	}
	r.expect(version+" status of an unknown transaction", "", r.call("GET /universal/"+version+"/universal-submit/status/"+absent), http.StatusNotFound, noTransaction)
	r.atTheGate(version+" status", r.call("GET /universal/"+version+"/universal-submit/status/"+absent), false)
}

// watch polls a submission to its end and looks at the last status.
func (r *run) watch(name, version, txID string) {
	key, label := key(version)
	end := r.poll(name, version, txID, key, label)
	if end.status != http.StatusOK {
		return
	}
	fields := statusFields
	if version == "v4" {
		fields += " tx_status:text"
	}
	r.row(name+" ends well", label, "Completed", end.string(key), strings.EqualFold(end.string(key), "completed") || end.string(key) == "Succeeded")
	r.shape(name+" status", label, end.at(), fields)
}

// submitDirectly sends a small file in one call.
func (r *run) submitDirectly(version string) {
	line := "POST /universal/" + version + "/universal-submit/file"
	got := r.expect(version+" direct submission", "", r.call(line).carrying(sampleFile), http.StatusOK, "")
	if txID := got.string("tx_id"); txID != "" {
		r.shape(version+" direct submission", fidelity.Chosen, got.at(), triggerFields)
		r.watch(version+" direct submission,", version, txID)
	}
	other, empty := sampleFile, sampleFile
	other.name, empty.content = "document", ""
	r.expect(version+" direct submission without the part file", "", r.call(line).carrying(other), http.StatusBadRequest, `{"message":"file is required"}`)
	r.expect(version+" direct submission of an empty file", "", r.call(line).carrying(empty), http.StatusBadRequest, `{"message":"file is required"}`)
	r.expect(version+" direct submission that is no form", "", r.call(line).with(`{}`), http.StatusUnsupportedMediaType, "")
	r.atTheGate(version+" direct submission", r.call(line).carrying(empty), false)
}

// laterInquiries reads the submission's data by versions 3 to 5, by kind of
// package, and by either id.
func (r *run) laterInquiries() {
	if r.txID == "" {
		r.skip("data of later versions", "no submission came to a good end")
		return
	}
	const company, locations = "seed_input:object cleansed_input:object data:object scores:object", "data:array"
	for _, v := range []string{"v3", "v4", "v5"} {
		ofCompany, ofLocations := company, locations
		if v == "v5" {
			ofCompany = "seed_input:object cleansed_input:object data:array additional_data:object"
			ofLocations += " additional_data:object"
		}
		base := "GET /data/" + v + "/"
		got := r.expect(v+" company data", "", r.call(base+r.target.CompanyPackage+"/"+r.txID), http.StatusOK, "")
		r.shape(v+" company data", fidelity.Public, got.at(), inquiryHead+ofCompany)
		data := got.at("data")
		if list, ok := data.([]any); ok && len(list) > 0 {
			data = list[0]
			r.shape(v+" company data, element", fidelity.Public, data, "facts:object options:object scores:object")
		}
		object, _ := data.(map[string]any)
		r.shape(v+" facts", fidelity.Public, object["facts"], vocabulary(field.Facts))
		r.shape(v+" options", fidelity.Public, object["options"], vocabulary(field.Options))

		got = r.expect(v+" location data", "", r.call(base+r.target.LocationPackage+"/"+r.txID), http.StatusOK, "")
		r.shape(v+" location data", fidelity.Public, got.at(), inquiryHead+ofLocations)
		got = r.expect(v+" data by report id", "", r.call(base+r.target.CompanyPackage+"/"+r.cReport), http.StatusOK, "")
		r.same(v+" data by report id, c_report_id", fidelity.Public, r.cReport, got.string("c_report_id"))
		r.expect(v+" data of an unknown package", "", r.call(base+"none-us-c0000/"+r.txID), http.StatusNotFound, noPackage)
		r.expect(v+" data of an unknown transaction", "", r.call(base+r.target.CompanyPackage+"/"+absent), http.StatusNotFound, noTransaction)
		r.atTheGate(v+" data", r.call(base+r.target.CompanyPackage+"/"+absent), false)
	}
}

// quickSubmit submits a company and reads it in one call.
func (r *run) quickSubmit() {
	q := r.call("POST /company/v1/quick_submit?dpid=" + r.target.CompanyPackage)
	got := r.expect("quick submit", "", q.with(companyBody), http.StatusOK, "")
	r.shape("quick submit", fidelity.Chosen, got.at(), reportHead)
	r.shape("quick submit, data", fidelity.Chosen, got.at("data"), vocabulary(field.Report))
	r.expect("quick submit without a name", "", q.with(`{"address":"5 Dock Road"}`), http.StatusBadRequest, `{"message":"company_name is required"}`)
	r.expect("quick submit, unknown package", "", r.call("POST /company/v1/quick_submit?dpid=none-us-c0000").with(companyBody), http.StatusNotFound, noPackage)
	r.atTheGate("quick submit", q.with(`{}`), true)
}
