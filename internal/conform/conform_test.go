package conform

import (
	"strings"
	"testing"
)

func TestMaskSecrets(t *testing.T) {
	for _, text := range []string{
		`{"access_token":"hidden","scope":""}`,
		`{"refresh_token": "hidden"}`,
		`Put "https://example.com/file-transfer/upload-file?data=hidden": EOF`,
		`refresh_token=hidden&grant_type=refresh_token`,
	} {
		if got := maskSecrets(text); strings.Contains(got, "hidden") || !strings.Contains(got, "…") {
			t.Errorf("maskSecrets(%s) = %s, want the secret replaced by …", text, got)
		}
	}
	const plain = `{"tx_id":"a","data":{"facts":{}}}`
	if got := maskSecrets(plain); got != plain {
		t.Errorf("maskSecrets(%s) = %s, want it unchanged", plain, got)
	}
}

func TestInOrder(t *testing.T) {
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
		if inOrder(strings.Fields(states)) != want {
			t.Errorf("inOrder(%s) = %t, want %t", states, !want, want)
		}
	}
}
