package conform

import (
	"fmt"
	"net/http"
	"strings"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// contents reads the data of each line of business in version 5. The ids of its
// packages are derived from the id of the company package. Contents whose package the
// client does not have are skipped.
func (r *run) contents() {
	prefix, ok := strings.CutSuffix(r.target.CompanyPackage, field.Version2(false).Suffix)
	if r.txID == "" || !ok {
		r.skip("contents", "no submission completed, or the company package does not end in "+field.Version2(false).Suffix)
		return
	}
	for _, name := range field.ContentNames() {
		content, _ := field.FindContent(name)
		got := r.send(r.apiRequest("GET /data/v5/" + prefix + content.Suffix + "/" + r.txID))
		if got.status == http.StatusNotFound {
			r.skip("content "+name, "the client has no package "+prefix+content.Suffix)
			continue
		}
		r.content(name, content, got)
	}
}

func (r *run) content(name string, content field.Content, got response) {
	at := "content " + name
	r.record(at, fidelity.Public, "200", got.describe(http.StatusOK), got.status == http.StatusOK)
	if got.status != http.StatusOK {
		return
	}
	lead := "seed_input:object cleansed_input:object "
	want := 1
	if content.Locations {
		lead, want = "", 2
	}
	r.checkShape(at, fidelity.Public, got.value(), inquiryFields+lead+"data:array additional_data:object")
	elements, _ := got.value("data").([]any)
	r.record(at+", number of elements", fidelity.Public, fmt.Sprint(want), fmt.Sprint(len(elements)), len(elements) == want)
	for i, value := range elements {
		element, _ := value.(map[string]any)
		each := fmt.Sprintf("%s, element %d", at, i+1)
		r.checkShape(each, fidelity.Public, value, "facts:object options:object scores:object")
		r.checkShape(each+", facts", fidelity.Public, element["facts"], fieldShape(content.Facts))
		r.checkShape(each+", options", fidelity.Public, element["options"], fieldShape(content.Options))
		r.checkScores(each, element["scores"])
		r.checkFormats(each+", facts", element["facts"], element["scores"], content.Facts...)
		r.checkFormats(each+", options", element["options"], element["scores"], content.Options...)
	}
}

// statusDetails reads the status of the submission with its files and data packages.
func (r *run) statusDetails() {
	const name, line = "v4 status details", "GET /universal/v4/universal-submit/status/"
	if r.txID == "" {
		r.skip(name, "no submission completed")
		return
	}
	got := r.expect(name, "", r.apiRequest(line+r.txID+"/details"), http.StatusOK, "")
	r.checkShape(name, fidelity.Chosen, got.value(), statusFields+" tx_status:text files:array data_packages:array")
	for _, list := range []struct{ key, shape string }{
		{"files", "filename:text format:text status:text note:text"},
		{"data_packages", "data_package_id:text tx_status:text tx_start_time:time tx_end_time:time"},
	} {
		elements, _ := got.value(list.key).([]any)
		r.record(name+", "+list.key, fidelity.Chosen, "at least one", fmt.Sprint(len(elements)), len(elements) > 0)
		if len(elements) > 0 {
			r.checkShape(name+", "+list.key, fidelity.Chosen, elements[0], list.shape)
		}
	}
	r.expect(name+" of an unknown transaction", "", r.apiRequest(line+unknownID+"/details"), http.StatusNotFound, transactionNotFound)
	r.checkAuthentication(name, r.apiRequest(line+unknownID+"/details"), false)
}
