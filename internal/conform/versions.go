package conform

import (
	"net/http"
	"strings"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// versions makes the calls of other versions, which the specification only
// names or which are known from public code alone.
func (r *run) versions() {
	if r.options.OnlyStated {
		return
	}
	if r.token == "" {
		r.skip("versions", "no access token")
		return
	}
	for _, v := range []string{"v1", "v3", "v4"} {
		r.submitVersion(v)
	}
	for _, v := range []string{"v3", "v4"} {
		r.submitDirectly(v)
	}
	large := sampleFile
	large.content += strings.Repeat(" ", directLimit-len(large.content))
	r.expect("v3 direct submission of 10 MB", "", r.apiRequest("POST /universal/v3/universal-submit/file").withMultipart(large), http.StatusRequestEntityTooLarge, `{"message":"Request Too Long"}`)
	r.laterDataVersions()
	r.contents()
	r.statusDetails()
	r.quickSubmit()
	for _, line := range []string{"POST /location/v1/location_submit", "GET /audit/v1/report/CUS0"} {
		r.expect(line+", not implemented", "", r.apiRequest(line), http.StatusNotImplemented, `{"message":"Not Implemented"}`)
	}
}

// statusKey returns the JSON field of the status response that holds the state of a
// submission, and the label of this field.
func statusKey(version string) (string, fidelity.Label) {
	if version == "v4" {
		return "tx_status", fidelity.Public
	}
	return "status", fidelity.Chosen
}

// directLimit is the size, in bytes, from which a file is too large for direct
// submission.
const directLimit = 10 << 20

const (
	statusFields  = "tx_id:text tenant_id:text user_id:text tx_start_time:time tx_end_time:time response_time_secs:number status:text c_report_id:text l_report_id:text"
	triggerFields = "tx_id:text tx_start_time:time tx_end_time:time response_time_secs:number tenant_id:text status:text"
)

// submitVersion submits the sample by the given version.
func (r *run) submitVersion(version string) {
	txID, uploadURL := r.requestUploadURL(version, fidelity.Chosen)
	if txID == "" || uploadURL == "" {
		return
	}
	r.expect(version+" upload", "", urlRequest("PUT", uploadURL).withMultipart(sampleFile), http.StatusOK, "")
	triggered := r.expect(version+" trigger", "", r.apiRequest("POST /universal/"+version+"/universal-submit/file/"+txID), http.StatusOK, "")
	if triggered.status == http.StatusOK {
		r.awaitCompletion(version, version, txID)
	}
	r.expect(version+" status of an unknown transaction", "", r.apiRequest("GET /universal/"+version+"/universal-submit/status/"+unknownID), http.StatusNotFound, transactionNotFound)
	r.checkAuthentication(version+" status", r.apiRequest("GET /universal/"+version+"/universal-submit/status/"+unknownID), false)
}

// awaitCompletion polls a submission until its state is final and checks the
// last status response.
func (r *run) awaitCompletion(name, version, txID string) {
	key, label := statusKey(version)
	end := r.pollStatus(name, version, txID, key, label)
	if end.status != http.StatusOK {
		return
	}
	fields := statusFields
	if version == "v4" {
		fields += " tx_status:text"
	}
	r.record(name+" final status", label, "Completed", end.stringValue(key), strings.EqualFold(end.stringValue(key), "completed") || end.stringValue(key) == "Succeeded")
	r.checkShape(name+" status", label, end.value(), fields)
}

// submitDirectly submits the sample in one call, without an upload URL.
func (r *run) submitDirectly(version string) {
	line := "POST /universal/" + version + "/universal-submit/file"
	got := r.expect(version+" direct submission", "", r.apiRequest(line).withMultipart(sampleFile), http.StatusOK, "")
	if txID := got.stringValue("tx_id"); txID != "" {
		r.checkShape(version+" direct submission", fidelity.Chosen, got.value(), triggerFields)
		r.awaitCompletion(version+" direct submission,", version, txID)
	}
	other, empty := sampleFile, sampleFile
	other.name, empty.content = "document", ""
	r.expect(version+` direct submission without a part "file"`, "", r.apiRequest(line).withMultipart(other), http.StatusBadRequest, `{"message":"file is required"}`)
	r.expect(version+" direct submission of an empty file", "", r.apiRequest(line).withMultipart(empty), http.StatusBadRequest, `{"message":"file is required"}`)
	r.expect(version+" direct submission with a JSON body", "", r.apiRequest(line).withJSON(`{}`), http.StatusUnsupportedMediaType, "")
	r.checkAuthentication(version+" direct submission", r.apiRequest(line).withMultipart(empty), false)
}

// laterDataVersions reads the data of the submission by versions 3 to 5, for
// both kinds of data package, by transaction ID and by report ID.
func (r *run) laterDataVersions() {
	if r.txID == "" {
		r.skip("data of later versions", "no submission completed")
		return
	}
	const company, locations = "seed_input:object cleansed_input:object data:object scores:object", "data:array"
	for _, v := range []string{"v3", "v4", "v5"} {
		companyFields, locationFields := company, locations
		if v == "v5" {
			companyFields = "seed_input:object cleansed_input:object data:array additional_data:object"
			locationFields += " additional_data:object"
		}
		base := "GET /data/" + v + "/"
		got := r.expect(v+" company data", "", r.apiRequest(base+r.target.CompanyPackage+"/"+r.txID), http.StatusOK, "")
		r.checkShape(v+" company data", fidelity.Public, got.value(), inquiryFields+companyFields)
		data := got.value("data")
		if list, ok := data.([]any); ok && len(list) > 0 {
			data = list[0]
			r.checkShape(v+" company data, element", fidelity.Public, data, "facts:object options:object scores:object")
		}
		object, _ := data.(map[string]any)
		options := field.Options
		if v == "v5" {
			options = field.Version2(false).Options
		}
		r.checkShape(v+" facts", fidelity.Public, object["facts"], fieldShape(field.Facts))
		r.checkShape(v+" options", fidelity.Public, object["options"], fieldShape(options))

		got = r.expect(v+" location data", "", r.apiRequest(base+r.target.LocationPackage+"/"+r.txID), http.StatusOK, "")
		r.checkShape(v+" location data", fidelity.Public, got.value(), inquiryFields+locationFields)
		got = r.expect(v+" data by report id", "", r.apiRequest(base+r.target.CompanyPackage+"/"+r.companyReportID), http.StatusOK, "")
		r.recordEqual(v+" data by report id, c_report_id", fidelity.Public, r.companyReportID, got.stringValue("c_report_id"))
		r.expect(v+" data of an unknown package", "", r.apiRequest(base+"none-us-c0000/"+r.txID), http.StatusNotFound, packageNotFound)
		r.expect(v+" data of an unknown transaction", "", r.apiRequest(base+r.target.CompanyPackage+"/"+unknownID), http.StatusNotFound, transactionNotFound)
		r.checkAuthentication(v+" data", r.apiRequest(base+r.target.CompanyPackage+"/"+unknownID), false)
	}
}

// quickSubmit submits a company and reads its report in one call.
func (r *run) quickSubmit() {
	req := r.apiRequest("POST /company/v1/quick_submit?dpid=" + r.target.CompanyPackage)
	got := r.expect("quick submit", "", req.withJSON(companyBody), http.StatusOK, "")
	r.checkShape("quick submit", fidelity.Chosen, got.value(), reportFields)
	r.checkShape("quick submit, data", fidelity.Chosen, got.value("data"), fieldShape(field.Report))
	r.expect("quick submit without a name", "", req.withJSON(`{"address":"5 Dock Road"}`), http.StatusBadRequest, `{"message":"company_name is required"}`)
	r.expect("quick submit, unknown package", "", r.apiRequest("POST /company/v1/quick_submit?dpid=none-us-c0000").withJSON(companyBody), http.StatusNotFound, packageNotFound)
	r.checkAuthentication("quick submit", req.withJSON(`{}`), true)
}
