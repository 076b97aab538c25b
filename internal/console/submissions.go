package console

import (
	"encoding/json"
	"net/url"
)

// submissionStates are the states by which the list can be filtered, in their order.
var submissionStates = []string{"Pending", "Submission_in_progress", "Scheduled", "Started", "Completed", "Failed"}

// loadSubmissions loads a page of the tenant's submissions.
func loadSubmissions(v *visit) (any, error) {
	query := url.Values{"limit": {"50"}}
	for _, name := range []string{"status", "q", "before"} {
		if value := v.Query.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	var list struct {
		Transactions []submission
		Before       string
	}
	if err := v.getInto(v.path("/transactions?"+query.Encode()), &list); err != nil {
		return nil, err
	}
	return map[string]any{
		"list": list.Transactions, "before": list.Before, "states": submissionStates,
		"filtered": v.Query.Get("status") != "" || v.Query.Get("q") != "", "first": v.Query.Get("before") == "",
	}, nil
}

// submission is a submission as the control API returns it.
type submission struct {
	TxID            string `json:"tx_id"`
	UserID          string `json:"user_id"`
	Filename        string
	Status          string
	Review          bool
	CreatedAt       string `json:"created_at"`
	UploadExpiresAt string `json:"upload_expires_at"`
	UploadedAt      string `json:"uploaded_at"`
	TxStartTime     string `json:"tx_start_time"`
	TxEndTime       string `json:"tx_end_time"`
	Size            int64
	SHA256          string
	Failure         string
	CReportID       string `json:"c_report_id"`
	LReportID       string `json:"l_report_id"`
	Company         string
}

// Shown returns the state in the words of the page.
func (s submission) Shown() string {
	if s.Review && s.Status == "Completed" {
		return "Review_required"
	}
	return s.Status
}

// getInto decodes the JSON at a path of the control API into a value. Its errors are
// those of get.
func (v *visit) getInto(path string, into any) error {
	response, err := v.call("GET", path, nil, "")
	if err == nil {
		err = response.err()
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(response.body.Bytes(), into)
}
