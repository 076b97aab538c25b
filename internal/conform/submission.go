package conform

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// sample is a fictitious submission: a mail with a schedule of two locations.
//
//go:embed sample.eml
var sample string

const (
	sampleName = "understudy-conform.eml"
	unknownID  = "00000000-0000-4000-8000-000000000000"
)

var sampleFile = formPart{"file", sampleName, "message/rfc822", sample}

// submission submits the sample by version 2, from the upload URL to the data.
func (r *run) submission() {
	if r.token == "" {
		r.skip("submission", "no access token")
		return
	}
	txID, uploadURL := r.requestUploadURL("v2", fidelity.Stated)
	if txID == "" || uploadURL == "" {
		r.skip("submission", "no upload URL")
		return
	}
	r.errorsBeforeTrigger(txID, uploadURL)
	uploaded := r.expect("upload", "", urlRequest("PUT", uploadURL).withMultipart(sampleFile), http.StatusOK, "")
	r.checkShape("upload", fidelity.Stated, uploaded.value(), "data:text")
	r.uploadWithSeparator()
	trigger := r.apiRequest("POST /universal/v2/universal-submit/file/" + txID)
	first := r.expect("trigger", "", trigger, http.StatusOK, "")
	r.checkShape("trigger", fidelity.Stated, first.value(), triggerFields)
	r.recordEqual("trigger, status", fidelity.Stated, "Submission_in_progress", first.stringValue("status"))
	if first.status != http.StatusOK {
		r.skip("status and data", "the trigger failed")
		return
	}
	r.expect("second trigger, same response", fidelity.Chosen, trigger, http.StatusOK, first.bodyText())
	r.expect("upload after the trigger", "", urlRequest("PUT", uploadURL).withMultipart(sampleFile), http.StatusConflict, `{"message":"Upload is closed"}`)

	end := r.pollStatus("v2", "v2", txID, "status", fidelity.Stated)
	if status := end.stringValue("status"); status != "Completed" && status != "Succeeded" {
		r.record("final status", fidelity.Stated, "Completed or Succeeded", end.describe(0), false)
		return
	}
	r.checkShape("status", fidelity.Stated, end.value(), statusFields)
	r.recordEqual("status, tx_id", fidelity.Stated, txID, end.stringValue("tx_id"))
	r.txID, r.companyReportID, r.locationReportID = txID, end.stringValue("c_report_id"), end.stringValue("l_report_id")
	r.companyInquiry(txID)
	r.locationInquiry(txID)
	r.reportInquiry("report of a submission", fidelity.Chosen, r.companyReportID)
}

// requestUploadURL starts a transaction by the given version.
func (r *run) requestUploadURL(version string, label fidelity.Label) (txID, uploadURL string) {
	body, _ := json.Marshal(map[string]string{"filename": sampleName}) // never fails
	got := r.expect(version+" upload URL", "", r.apiRequest("POST /universal/"+version+"/universal-submit/file-upload-url").withJSON(string(body)), http.StatusOK, "")
	r.checkShape(version+" upload URL", label, got.value(), "tx_id:uuid upload_url:text")
	return got.stringValue("tx_id"), got.stringValue("upload_url")
}

// uploadWithSeparator uploads a file whose name has a path separator.
func (r *run) uploadWithSeparator() {
	request := r.apiRequest("POST /universal/v2/universal-submit/file-upload-url").withJSON(`{"filename":"a/b.eml"}`)
	got := r.expect("upload URL for a/b.eml", fidelity.Chosen, request, http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	uploaded := r.expect("upload of a/b.eml", fidelity.Chosen, urlRequest("PUT", got.stringValue("upload_url")).withMultipart(sampleFile), http.StatusOK, "")
	location := uploaded.stringValue("data")
	r.recordEqual("upload of a/b.eml, end of data", fidelity.Chosen, "a_b.eml", location[strings.LastIndex(location, "/")+1:])
}

// errorsBeforeTrigger makes calls that are too early, and uploads that must be
// rejected.
func (r *run) errorsBeforeTrigger(txID, uploadURL string) {
	pending := r.expect("status before the trigger", fidelity.Chosen, r.apiRequest("GET /universal/v2/universal-submit/status/"+txID), http.StatusOK, "")
	if pending.status == http.StatusOK {
		r.recordEqual("status before the trigger, status", fidelity.Chosen, "Pending", pending.stringValue("status"))
		r.recordEqual("status before the trigger, tx_end_time", fidelity.Chosen, `""`, fmt.Sprintf("%q", pending.value("tx_end_time")))
	}
	r.expect("trigger before the upload", "", r.apiRequest("POST /universal/v2/universal-submit/file/"+txID), http.StatusConflict, `{"message":"File has not been uploaded"}`)
	r.expect("data before completion", "", r.inquiryRequest(txID, "transaction"), http.StatusConflict, `{"message":"Transaction is not complete","status":"Pending"}`)

	put := urlRequest("PUT", uploadURL)
	const required = `{"message":"file is required"}`
	other, empty := sampleFile, sampleFile
	other.name, empty.content = "document", ""
	r.expect(`upload without a part "file"`, "", put.withMultipart(other), http.StatusBadRequest, required)
	r.expect(`upload with two parts "file"`, "", put.withMultipart(sampleFile, sampleFile), http.StatusBadRequest, required)
	r.expect("upload of an empty file", "", put.withMultipart(empty), http.StatusBadRequest, required)
	r.expect("upload with a JSON body", "", put.withJSON(`{}`), http.StatusUnsupportedMediaType, "")
	bare, query, _ := strings.Cut(uploadURL, "?")
	r.expect("upload without the data parameter", "", urlRequest("PUT", bare).withMultipart(sampleFile), http.StatusForbidden, `{"message":"Forbidden"}`)
	// Change the first character, because the last one of a base64 text may have
	// unused bits.
	name, value, _ := strings.Cut(query, "=")
	if value != "" {
		altered := map[bool]string{true: "B", false: "A"}[value[0] == 'A'] + value[1:]
		r.expect("upload with an altered data parameter", "", urlRequest("PUT", bare+"?"+name+"="+altered).withMultipart(sampleFile), http.StatusForbidden, `{"message":"Forbidden"}`)
	}
}

// stateSequences are the known sequences of states. States in the same element
// are alternatives.
var stateSequences = [][]string{
	{"Submission_in_progress", "Scheduled", "Started", "Completed Failed"},
	{"Pending", "Started", "Succeeded Failed"},
	{"Scheduled", "Started", "COMPLETED FAILED Review_required"}, // tx_status of version 4
}

var finalStates = []string{"Completed", "Succeeded", "Failed", "COMPLETED", "FAILED", "Review_required"}

// pollStatus polls the status at increasing intervals until it is final, and
// checks the order of the states. key is the JSON field that holds the state in
// the given version.
func (r *run) pollStatus(name, version, txID, key string, label fidelity.Label) response {
	req := r.apiRequest("GET /universal/" + version + "/universal-submit/status/" + txID)
	start, interval := time.Now(), r.options.PollInterval
	var seen []string
	failures := 0 // consecutive
	for {
		got := r.send(req)
		status := got.stringValue(key)
		if got.status != http.StatusOK {
			// Of the many status calls of a submission, one may fail because a
			// gateway is briefly unavailable.
			if failures++; failures == 3 {
				r.record(name+" status", label, "200", got.describe(http.StatusOK), false)
				return got
			}
			if !r.wait(interval) {
				return response{err: r.ctx.Err()}
			}
			continue
		}
		failures = 0
		if len(seen) == 0 || seen[len(seen)-1] != status {
			seen = append(seen, status)
			r.progressf("  %s after %s", status, time.Since(start).Round(100*time.Millisecond))
		}
		if slices.Contains(finalStates, status) {
			r.record(name+" states", label, "a known sequence, in order", strings.Join(seen, ", "), inOrder(seen))
			return got
		}
		if time.Since(start)+interval > r.options.CompletionTimeout {
			r.record(name+" states", label, "a final state within "+r.options.CompletionTimeout.String(), strings.Join(seen, ", "), false)
			return got
		}
		if !r.wait(interval) {
			return response{err: r.ctx.Err()}
		}
		interval = min(interval*3/2, 10*time.Second)
	}
}

// inOrder reports whether the states occur in the order of one of the state
// sequences. States of the sequence may be missing.
func inOrder(states []string) bool {
	for _, sequence := range stateSequences {
		position, ascending := -1, true
		for _, state := range states {
			next := slices.IndexFunc(sequence, func(names string) bool { return slices.Contains(strings.Fields(names), state) })
			ascending = ascending && next > position
			position = next
		}
		if ascending {
			return true
		}
	}
	return false
}

func (r *run) inquiryRequest(txID, idType string) request {
	return r.apiRequest("GET /data/v2/" + r.target.CompanyPackage + "/" + txID + "?idType=" + idType)
}

const inquiryFields = `tx_id:text tx_start_time:time tx_end_time:time response_time_secs:decimal data_package_id:text tenant_id:text
	user_id:text c_report_id:text l_report_id:text doc_reference_id:text `

// companyInquiry reads the company data of the submission.
func (r *run) companyInquiry(txID string) {
	got := r.expect("company data", "", r.inquiryRequest(txID, "transaction"), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.checkShape("company data", fidelity.Stated, got.value(), inquiryFields+"seed_input:object cleansed_input:object data:object scores:object")
	r.recordEqual("company data, c_report_id", fidelity.Stated, r.companyReportID, got.stringValue("c_report_id"))
	r.recordEqual("company data, l_report_id", fidelity.Stated, r.locationReportID, got.stringValue("l_report_id"))
	r.recordEqual("company data, doc_reference_id", fidelity.Stated, txID, strings.TrimSpace(got.stringValue("doc_reference_id")))
	r.checkShape("seed_input", fidelity.Stated, got.value("seed_input"), "company_name:text address:text")
	r.checkCleansedInput("company data", got, " bureauNumber:text", " countryISOCode:text")
	r.checkShape("data", fidelity.Stated, got.value("data"), "facts:object options:object")
	r.checkShape("facts", fidelity.Stated, got.value("data", "facts"), fieldShape(field.Facts))
	r.checkShape("options", fidelity.Stated, got.value("data", "options"), fieldShape(field.Options))
	r.checkScores("company data", got.value("scores"))
	r.checkFormats("facts", got.value("data", "facts"), got.value("scores"), field.Facts...)
	r.checkFormats("options", got.value("data", "options"), got.value("scores"), field.Options...)
}

// checkCleansedInput checks the shape of the cleansed input in a response.
// moreFields and moreAddressFields are the fields that only some calls have.
func (r *run) checkCleansedInput(name string, got response, moreFields, moreAddressFields string) {
	const address = "streetAddr:text city:text state:text zipOrPostalCode:text country:text"
	at := func(path ...string) any { return got.value(append([]string{"cleansed_input"}, path...)...) }
	name += ", cleansed_input"
	r.checkShape(name, fidelity.Stated, at(), "companyName:text website:text phoneNumber:text confidence_score:number_or_empty address:object seedInput:object"+moreFields)
	r.checkShape(name+".address", fidelity.Stated, at("address"), address+" geoPosition:object"+moreAddressFields)
	r.checkShape(name+".address.geoPosition", fidelity.Stated, at("address", "geoPosition"), "latitude:number_or_empty longitude:number_or_empty")
	r.checkShape(name+".seedInput", fidelity.Stated, at("seedInput"), "companyName:text address:object")
	r.checkShape(name+".seedInput.address", fidelity.Stated, at("seedInput", "address"), address)
}

// locationInquiry reads the location data of the submission.
func (r *run) locationInquiry(txID string) {
	got := r.expect("location data", "", r.inquiryRequest(txID, "sov"), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.checkShape("location data", fidelity.Stated, got.value(), inquiryFields+"data:array")
	r.recordEqual("location data, data_package_id", fidelity.Stated, r.target.LocationPackage, got.stringValue("data_package_id"))
	locations, _ := got.value("data").([]any)
	r.record("location data, number of locations", fidelity.Chosen, "2", fmt.Sprint(len(locations)), len(locations) == 2)
	for i, value := range locations {
		location, _ := value.(map[string]any)
		name := fmt.Sprintf("location %d", i+1)
		r.checkShape(name, fidelity.Stated, value, "facts:object options:object scores:object")
		r.checkShape(name+", facts", fidelity.Stated, location["facts"], fieldShape(field.LocationFacts))
		r.checkShape(name+", options", fidelity.Stated, location["options"], fieldShape(field.LocationOptions))
		r.checkScores(name, location["scores"])
		r.checkFormats(name, location["options"], location["scores"], field.LocationOptions...)
	}
}
