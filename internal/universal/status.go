package universal

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Status is `GET …/universal-submit/status/{tx_id}` (service.md, endpoint 5).
// transitions is the database for polls that move the submission. wake wakes the
// background steps.
func Status(submissions *Finder, transitions storage.DB, gate *auth.Gate, rt route.Route, wake func(Work)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, submission, err := pollStatus(r, submissions, transitions, gate, rt, wake)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, version(rt.Version).statusBody(submission, caller))
	}
}

// pollStatus admits the call and returns the submission that it asks for, which the
// call may have moved to its next state.
func pollStatus(r *http.Request, submissions *Finder, transitions storage.DB, gate *auth.Gate, rt route.Route, wake func(Work)) (caller auth.Caller, s submission, err error) {
	if caller, err = gate.Admit(r, rt); err != nil {
		return caller, s, err
	}
	if s, err = submissions.find(r.Context(), caller.TenantID, r.PathValue("tx_id")); err != nil {
		return caller, s, err
	}
	if s.PollsPerState != nil && !states[s.Status].final {
		s, err = poll(r.Context(), submissions, transitions, gate.Now(), caller, s, wake)
	}
	return caller, s, err
}

// statusBody is the status response (service.md, "Resources").
type statusBody struct {
	TxID             uuid.UUID `json:"tx_id"`
	TenantID         string    `json:"tenant_id"`
	UserID           uuid.UUID `json:"user_id"`
	TxStartTime      string    `json:"tx_start_time"`
	TxEndTime        string    `json:"tx_end_time"`
	ResponseTimeSecs float64   `json:"response_time_secs"`
	Status           string    `json:"status"`
	CReportID        *string   `json:"c_report_id,omitempty"`
	LReportID        *string   `json:"l_report_id,omitempty"`
}

func newStatusBody(s submission, tenant, status string) statusBody {
	start, end := s.CreatedAt, time.Time{} // before the trigger, when the upload URL was created
	if s.StartedAt != nil {
		start = *s.StartedAt
	}
	if s.FinishedAt != nil {
		end = *s.FinishedAt
	}
	return statusBody{
		TxID:             s.TxID,
		TenantID:         tenant,
		UserID:           s.UserID,
		TxStartTime:      api.Time(start).String(),
		TxEndTime:        api.Time(end).String(),
		ResponseTimeSecs: api.Seconds(start, end),
		Status:           status,
		CReportID:        s.CReportID,
		LReportID:        s.LReportID,
	}
}
