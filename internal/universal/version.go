package universal

import "understudy.example/internal/auth"

// version is a version of universal submit, as in the path: v1 to v4. All versions
// take the same requests; only the status response of version 4 differs.
type version string

const v4 version = "v4"

// statusBody returns the version's status response.
func (v version) statusBody(s submission, caller auth.Caller) any {
	if v != v4 {
		return newStatusBody(s, caller.TenantName, statusFor(caller.Settings, s.Status))
	}
	return newStatusBodyV4(s, caller)
}

// statusBodyV4 is the status response of version 4.
type statusBodyV4 struct {
	statusBody
	TxStatus string `json:"tx_status"`
}

func newStatusBodyV4(s submission, caller auth.Caller) statusBodyV4 {
	return statusBodyV4{newStatusBody(s, caller.TenantName, s.Status), txStatus(s)}
}

// txStatus returns the state as version 4 names it in tx_status.
func txStatus(s submission) string {
	if s.Review {
		return "Review_required"
	}
	return states[s.Status].txStatus
}
