package conform

import (
	"strings"
	"testing"
)

func TestMasked(t *testing.T) {
	for _, text := range []string{
		`{"access_token":"hidden","scope":""}`,
		`{"refresh_token": "hidden"}`,
		`Put "https://example.com/file-transfer/upload-file?data=hidden": EOF`,
		`refresh_token=hidden&grant_type=refresh_token`,
	} {
		if got := masked(text); strings.Contains(got, "hidden") || !strings.Contains(got, "…") {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	const plain = `{"tx_id":"a","data":{"facts":{}}}`
	if got := masked(plain); got != plain {
		t.Errorf("%s is shown as %s", plain, got)
	}
}

func TestClimbs(t *testing.T) {
	for states, want := range map[string]bool{
		"Submission_in_progress Started Completed": true,
		"Started":                         true,
		"Pending Started Succeeded":       true,
		"Scheduled Started COMPLETED":     true,
		"Pending Scheduled":               false,
		"Started Scheduled":               false,
		"Completed Failed":                false,
		"Submission_in_progress Finished": false,
	} {
		if climbs(strings.Fields(states)) != want {
			t.Errorf("%s: want %t", states, want)
		}
	}
}
