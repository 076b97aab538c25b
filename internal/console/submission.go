package console

import (
	"fmt"
	"net/url"
	"strings"
)

// submissionPage is what the page of a submission shows.
type submissionPage struct {
	submission
	Timeline   []reachedState
	Extraction *extraction
	Advice     string // what to do about a failure
	Groups     []valueGroup
	Locations  *locationList
	Document   *documentPane
	Inquiry    *inquiryPane
	Edit       bool // the values can be changed

	kept *keptOutcome // of the file; nil if there is none
}

type reachedState struct {
	Status string
	At     string
	RealAt string `json:"real_at"`
}

// extraction is the data extracted from a document.
type extraction struct {
	Facts, Options []extractedValue
	Locations      [][]extractedValue
}

type extractedValue struct {
	Field, Text string
	Score       float64
	Evidence    string
}

// loadSubmission loads a submission with its values, its document and its data.
func loadSubmission(v *visit) (any, error) {
	p := &submissionPage{Edit: v.Query.Get("edit") != ""}
	first := max(parseIndex(v.Query.Get("loc")), 0)
	v.txPath = v.path("/transactions/" + url.PathEscape(v.r.PathValue("tx_id")))
	if err := v.getInto(fmt.Sprintf("%s?real_times=true&locations_from=%d&locations=%d", v.txPath, first, locationsShown+1), p); err != nil {
		return nil, err
	}
	p.Advice = advice(p.Failure)
	var err error
	if p.Document, err = v.loadDocument(p); err != nil {
		return nil, err
	}
	if p.Inquiry, err = v.loadInquiry(p); err != nil || p.Status != "Completed" {
		return p, err
	}
	if p.kept, err = v.keptOutcome(p.SHA256); err != nil {
		return nil, err
	}
	if err = v.loadValues(p); err != nil {
		return nil, err
	}
	return p, v.loadLocations(p, first)
}

// advice returns what to do about a failure, "" if there is no advice beyond its
// reason.
func advice(failure string) string {
	for _, known := range []struct{ part, advice string }{
		{".fail.", "A file whose name contains “.fail.” always fails. Rename the file to have it processed."},
		{"an outcome set", "An outcome that matches this file makes it fail. Delete or change it on the page Control."},
		{"password", "Remove the password and submit the file again."},
		{"no text", "The document is a scan: pictures of pages without text. Submit a version with text."},
		{"not supported", "Submit an email, a Word, PDF or text file, or a spreadsheet."},
		{"unknown", "Submit an email, a Word, PDF or text file, or a spreadsheet."},
		{"damaged", "Open the file, save it again, and submit the new copy."},
		{"empty", "The file has no content. Check that it was saved before it was submitted."},
		{"uploaded content", "The server's object store does not return the file as it was uploaded. Check it and what is between it and the server, then submit the file again."},
		{"object store", "The server's object store was not available for too long. Check it, then submit the file again."},
		{"missing", "The file was deleted from the object store. Submit it again."},
		{"longer than", "The document took too much time. Submit a smaller one, or raise the server's limit."},
		{"memory", "The document needs too much memory. Submit a smaller one, or raise the server's limit."},
		{"crashed", "The parser crashed on the document. The server's log has the details."},
		{"interrupted", "The servers that processed it stopped each time. Submit it again."},
	} {
		if strings.Contains(failure, known.part) {
			return known.advice
		}
	}
	return ""
}

// HasOutcome reports whether an outcome of the file is kept.
func (p *submissionPage) HasOutcome() bool { return p.kept != nil }

// HasFile reports whether a file was uploaded.
func (p *submissionPage) HasFile() bool { return p.Size > 0 }
