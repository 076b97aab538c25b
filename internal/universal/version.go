package universal

import "understudy.example/internal/auth"

// Version is a version of universal submit, as paths name it. All answer on the
// same paths and take the same; only what is told here differs.
type Version string

const (
	v3 Version = "v3"
	v4 Version = "v4"
)

// Versions are those that the service has; v1 behaves as v2. DirectVersions
// have direct submission.
var (
	Versions       = []Version{"v1", "v2", v3, v4}
	DirectVersions = []Version{v3, v4}
)

// permission is what a client needs in order to "get" or to "post". No
// permission names version 4: the third's allow it.
func (v Version) permission(right string) string {
	if v == v4 {
		v = v3
	}
	return "::universal/" + string(v) + "/universal-submit:" + right
}

// status is the submission's status answer.
func (v Version) status(s submission, caller auth.Caller) any {
	if v != v4 {
		return newStatusAnswer(s, caller.TenantName, statusFor(caller.Settings, s.Status))
	}
	return struct {
		statusAnswer
		TxStatus string `json:"tx_status"`
	}{newStatusAnswer(s, caller.TenantName, s.Status), txStatus(s)}
}

// txStatus is the state in the words that clients of version 4 poll for. They
// know no others, so that what comes before Scheduled is Scheduled too.
func txStatus(s submission) string {
	switch {
	case s.Status == Failed:
		return "FAILED"
	case s.Status == Completed && s.Review:
		return "Review_required"
	case s.Status == Completed:
		return "COMPLETED"
	case s.Status == Started:
		return Started
	}
	return Scheduled
}
