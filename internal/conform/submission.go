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

// sample is an invented submission: a letter with a schedule of two locations.
//
//go:embed sample.eml
var sample string

const (
	sampleName = "understudy-conform.eml"
	absent     = "00000000-0000-4000-8000-000000000000"
)

var sampleFile = part{"file", sampleName, "message/rfc822", sample}

// submission takes a file through version 2, from its upload address to its
// data.
func (r *run) submission() {
	if r.token == "" {
		r.skip("submission", "there is no token")
		return
	}
	txID, address := r.announce("v2", fidelity.Stated)
	if txID == "" || address == "" {
		r.skip("submission", "there is no upload address")
		return
	}
	r.beforeTheTrigger(txID, address)
	uploaded := r.expect("upload", "", to("PUT", address).carrying(sampleFile), http.StatusOK, "")
	r.shape("upload", fidelity.Stated, uploaded.at(), "data:text")
	trigger := r.call("POST /universal/v2/universal-submit/file/" + txID)
	first := r.expect("trigger", "", trigger, http.StatusOK, "")
	r.shape("trigger", fidelity.Stated, first.at(), triggerFields)
	r.same("trigger, status", fidelity.Stated, "Submission_in_progress", first.string("status"))
	if first.status != http.StatusOK {
		r.skip("status and data", "the trigger failed")
		return
	}
	r.expect("trigger again: the same answer", fidelity.Chosen, trigger, http.StatusOK, first.text())
	r.expect("upload after the trigger", "", to("PUT", address).carrying(sampleFile), http.StatusConflict, `{"message":"Upload is closed"}`)

	end := r.poll("v2", "v2", txID, "status", fidelity.Stated)
	if status := end.string("status"); status != "Completed" && status != "Succeeded" {
		r.row("final status", fidelity.Stated, "Completed or Succeeded", end.seen(0), false)
		return
	}
	r.shape("status", fidelity.Stated, end.at(), statusFields)
	r.same("status, tx_id", fidelity.Stated, txID, end.string("tx_id"))
	r.txID, r.cReport, r.lReport = txID, end.string("c_report_id"), end.string("l_report_id")
	r.companyInquiry(txID)
	r.locationInquiry(txID)
	r.reportInquiry("report of a submission", fidelity.Chosen, r.cReport)
}

// announce asks a version for an upload address.
func (r *run) announce(version string, label fidelity.Label) (txID, address string) {
	body, _ := json.Marshal(map[string]string{"filename": sampleName}) // never fails
	got := r.expect(version+" upload address", "", r.call("POST /universal/"+version+"/universal-submit/file-upload-url").with(string(body)), http.StatusOK, "")
	r.shape(version+" upload address", label, got.at(), "tx_id:uuid upload_url:text")
	return got.string("tx_id"), got.string("upload_url")
}

// beforeTheTrigger asks for what is too early, and uploads what is no file.
func (r *run) beforeTheTrigger(txID, address string) {
	pending := r.expect("status before the trigger", fidelity.Chosen, r.call("GET /universal/v2/universal-submit/status/"+txID), http.StatusOK, "")
	if pending.status == http.StatusOK {
		r.same("status before the trigger, status", fidelity.Chosen, "Pending", pending.string("status"))
		r.same("status before the trigger, tx_end_time", fidelity.Chosen, `""`, fmt.Sprintf("%q", pending.at("tx_end_time")))
	}
	r.expect("trigger before the upload", "", r.call("POST /universal/v2/universal-submit/file/"+txID), http.StatusConflict, `{"message":"File has not been uploaded"}`)
	r.expect("data before the end", "", r.inquiry(txID, "transaction"), http.StatusConflict, `{"message":"Transaction is not complete","status":"Pending"}`)

	put := to("PUT", address)
	const required = `{"message":"file is required"}`
	other, empty := sampleFile, sampleFile
	other.name, empty.content = "document", ""
	r.expect("upload without the part file", "", put.carrying(other), http.StatusBadRequest, required)
	r.expect("upload with two parts file", "", put.carrying(sampleFile, sampleFile), http.StatusBadRequest, required)
	r.expect("upload of an empty file", "", put.carrying(empty), http.StatusBadRequest, required)
	r.expect("upload that is no form", "", put.with(`{}`), http.StatusUnsupportedMediaType, "")
	bare, query, _ := strings.Cut(address, "?")
	r.expect("upload without data", "", to("PUT", bare).carrying(sampleFile), http.StatusForbidden, `{"message":"Forbidden"}`)
	// The first of the opaque bits: the last ones of base64 may mean nothing.
	name, value, _ := strings.Cut(query, "=")
	if value != "" {
		flipped := map[bool]string{true: "B", false: "A"}[value[0] == 'A'] + value[1:]
		r.expect("upload with altered data", "", to("PUT", bare+"?"+name+"="+flipped).carrying(sampleFile), http.StatusForbidden, `{"message":"Forbidden"}`)
	}
}

// ladders are the vocabularies of states, in their order. What shares a rung
// cannot follow one another.
var ladders = [][]string{
	{"Submission_in_progress", "Scheduled", "Started", "Completed Failed"},
	{"Pending", "Started", "Succeeded Failed"},
	{"Scheduled", "Started", "COMPLETED FAILED Review_required"}, // tx_status of version 4
}

var final = []string{"Completed", "Succeeded", "Failed", "COMPLETED", "FAILED", "Review_required"}

// poll asks a version for the status, under its key, until it is final, waiting a little
// longer each time, and holds the states to their order.
func (r *run) poll(name, version, txID, key string, label fidelity.Label) reply {
	q := r.call("GET /universal/" + version + "/universal-submit/status/" + txID)
	began, wait := time.Now(), r.options.Poll
	var seen []string
	failed := 0 // calls in a row
	for {
		got := r.ask(q)
		status := got.string(key)
		if got.status != http.StatusOK {
			// A gateway may be away for a moment, and a submission takes many.
			if failed++; failed == 3 {
				r.row(name+" status", label, "200", got.seen(http.StatusOK), false)
				return got
			}
			if !r.wait(wait) {
				return reply{err: r.ctx.Err()}
			}
			continue
		}
		failed = 0
		if len(seen) == 0 || seen[len(seen)-1] != status {
			seen = append(seen, status)
			r.progress("  %s after %s", status, time.Since(began).Round(100*time.Millisecond))
		}
		if slices.Contains(final, status) {
			r.row(name+" states", label, "in order, of one vocabulary", strings.Join(seen, ", "), climbs(seen))
			return got
		}
		if time.Since(began)+wait > r.options.Wait {
			r.row(name+" states", label, "a final one within "+r.options.Wait.String(), strings.Join(seen, ", "), false)
			return got
		}
		if !r.wait(wait) {
			return reply{err: r.ctx.Err()}
		}
		wait = min(wait*3/2, 10*time.Second)
	}
}

// climbs tells whether the states go up one of the ladders.
func climbs(states []string) bool {
	for _, ladder := range ladders {
		rung, good := -1, true
		for _, state := range states {
			next := slices.IndexFunc(ladder, func(names string) bool { return slices.Contains(strings.Fields(names), state) })
			good = good && next > rung
			rung = next
		}
		if good {
			return true
		}
	}
	return false
}

func (r *run) inquiry(txID, idType string) question {
	return r.call("GET /data/v2/" + r.target.CompanyPackage + "/" + txID + "?idType=" + idType)
}

const inquiryHead = `tx_id:text tx_start_time:time tx_end_time:time response_time_secs:decimal data_package_id:text tenant_id:text
	user_id:text c_report_id:text l_report_id:text doc_reference_id:text `

// companyInquiry reads the company's data of the submission.
func (r *run) companyInquiry(txID string) {
	got := r.expect("company data", "", r.inquiry(txID, "transaction"), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.shape("company data", fidelity.Stated, got.at(), inquiryHead+"seed_input:object cleansed_input:object data:object scores:object")
	r.same("company data, c_report_id", fidelity.Stated, r.cReport, got.string("c_report_id"))
	r.same("company data, l_report_id", fidelity.Stated, r.lReport, got.string("l_report_id"))
	r.same("company data, doc_reference_id", fidelity.Stated, txID, strings.TrimSpace(got.string("doc_reference_id")))
	r.shape("seed_input", fidelity.Stated, got.at("seed_input"), "company_name:text address:text")
	r.cleansed("company data", got, " bureauNumber:text", " countryISOCode:text")
	r.shape("data", fidelity.Stated, got.at("data"), "facts:object options:object")
	r.shape("facts", fidelity.Stated, got.at("data", "facts"), vocabulary(field.Facts))
	r.shape("options", fidelity.Stated, got.at("data", "options"), vocabulary(field.Options))
	r.scored("company data", got.at("scores"))
	r.forms("facts", got.at("data", "facts"), got.at("scores"), field.Facts...)
	r.forms("options", got.at("data", "options"), got.at("scores"), field.Options...)
}

// cleansed holds the cleansed input of an inquiry to its fields.
func (r *run) cleansed(name string, got reply, more, ofAddress string) {
	const address = "streetAddr:text city:text state:text zipOrPostalCode:text country:text"
	at := func(path ...string) any { return got.at(append([]string{"cleansed_input"}, path...)...) }
	name += ", cleansed_input"
	r.shape(name, fidelity.Stated, at(), "companyName:text website:text phoneNumber:text confidence_score:number address:object seedInput:object"+more)
	r.shape(name+".address", fidelity.Stated, at("address"), address+" geoPosition:object"+ofAddress)
	r.shape(name+".address.geoPosition", fidelity.Stated, at("address", "geoPosition"), "latitude:number longitude:number")
	r.shape(name+".seedInput", fidelity.Stated, at("seedInput"), "companyName:text address:object")
	r.shape(name+".seedInput.address", fidelity.Stated, at("seedInput", "address"), address)
}

// locationInquiry reads the locations of the submission.
func (r *run) locationInquiry(txID string) {
	got := r.expect("location data", "", r.inquiry(txID, "sov"), http.StatusOK, "")
	if got.status != http.StatusOK {
		return
	}
	r.shape("location data", fidelity.Stated, got.at(), inquiryHead+"data:array")
	r.same("location data, data_package_id", fidelity.Stated, r.target.LocationPackage, got.string("data_package_id"))
	locations, _ := got.at("data").([]any)
	r.row("location data, locations of the sample", fidelity.Chosen, "2", fmt.Sprint(len(locations)), len(locations) == 2)
	for i, one := range locations {
		location, _ := one.(map[string]any)
		name := fmt.Sprintf("location %d", i+1)
		r.shape(name, fidelity.Stated, one, "facts:object options:object scores:object")
		r.shape(name+", facts", fidelity.Stated, location["facts"], vocabulary(field.LocationFacts))
		r.shape(name+", options", fidelity.Stated, location["options"], vocabulary(field.LocationOptions))
		r.scored(name, location["scores"])
		r.forms(name, location["options"], location["scores"], field.LocationOptions...)
	}
}
