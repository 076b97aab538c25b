package sandbox

import "time"

// Settings determine how the API behaves for a tenant. UpdateSettings and WithSettings
// do not change settings that are nil or "".
type Settings struct {
	Pacing             *Pacing  `json:"pacing,omitempty"`
	StatusVocabulary   string   `json:"status_vocabulary,omitempty"`   // names of the states in versions 1 to 3: "processing" or "polling"
	TrailingWhitespace *bool    `json:"trailing_whitespace,omitempty"` // whether doc_reference_id ends with a space
	RateLimit          *float64 `json:"rate_limit,omitempty"`          // calls per second for each API key, or client for webhook calls, in the tenant's time; 0 means no limit
	Webhooks           string   `json:"webhooks,omitempty"`            // "send", or "collect" to record deliveries without sending them

	// IDSeed is a number from which the ids of transactions, reports,
	// subscriptions, events, deliveries and inquiries are derived, together
	// with the tenant's name (see WithName) and their order, so that they can
	// be compared with recorded ones.
	IDSeed *int64 `json:"id_seed,omitempty"`

	// Quotas; 0 means no limit. A call that exceeds one gets 429.
	MaxUploadBytes *int64 `json:"max_upload_bytes,omitempty"` // bytes of one upload
	MaxStoredBytes *int64 `json:"max_stored_bytes,omitempty"` // bytes of all files of the tenant's submissions
	MaxSubmissions *int64 `json:"max_submissions,omitempty"`  // submissions that the server keeps for the tenant
}

// Usage is what a tenant stores.
type Usage struct {
	Submissions int64 `json:"submissions"`
	StoredBytes int64 `json:"stored_bytes"` // of the files of its submissions
}

// Pacing determines when a submission moves to its next state. Immediate, Timed
// and Polls return the possible values.
type Pacing struct {
	Mode          string `json:"mode"`                // "immediate", "timed" or "polls"
	Scheduled     string `json:"scheduled,omitempty"` // mode timed: the waits before the states, such as "0.5s"
	Started       string `json:"started,omitempty"`
	Finished      string `json:"finished,omitempty"`
	PollsPerState int    `json:"per_state,omitempty"` // mode polls: status calls per state
}

// Immediate completes a submission as soon as its document has been read.
func Immediate() *Pacing { return &Pacing{Mode: "immediate"} }

// Timed waits before each of the states Scheduled, Started and the final one, in
// the tenant's time. The default is 0.5, 1 and 2 seconds.
func Timed(scheduled, started, finished time.Duration) *Pacing {
	return &Pacing{Mode: "timed", Scheduled: scheduled.String(), Started: started.String(), Finished: finished.String()}
}

// Polls shows each state of a submission in perState status calls; the next call
// moves the submission. The clock has no effect.
func Polls(perState int) *Pacing { return &Pacing{Mode: "polls", PollsPerState: perState} }
