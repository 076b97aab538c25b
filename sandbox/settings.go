package sandbox

import "time"

// Settings are how a tenant behaves. To ChangeSettings and WithSettings, what is
// nil or "" stays as it is.
type Settings struct {
	Pacing             *Pacing  `json:"pacing,omitempty"`
	StatusVocabulary   string   `json:"status_vocabulary,omitempty"`   // what versions 1 to 3 call states: "processing" or "polling"
	TrailingWhitespace *bool    `json:"trailing_whitespace,omitempty"` // whether doc_reference_id ends in a blank
	RateLimit          *float64 `json:"rate_limit,omitempty"`          // calls per second of each API key, in the tenant's time; 0 = none
	Webhooks           string   `json:"webhooks,omitempty"`            // "send", or "collect": keep what would be sent
}

// Pacing is how a submission moves from state to state: Immediate, Timed or Polls.
type Pacing struct {
	Mode      string `json:"mode"`                // "immediate", "timed" or "polls"
	Scheduled string `json:"scheduled,omitempty"` // waits of the mode timed, such as "0.5s"
	Started   string `json:"started,omitempty"`
	Finished  string `json:"finished,omitempty"`
	PerState  int    `json:"per_state,omitempty"` // of the mode polls
}

// Immediate ends a submission as soon as its document is read.
func Immediate() *Pacing { return &Pacing{Mode: "immediate"} }

// Timed waits before each state, in the tenant's time. A new tenant waits 0.5,
// 1 and 2 seconds.
func Timed(scheduled, started, finished time.Duration) *Pacing {
	return &Pacing{Mode: "timed", Scheduled: scheduled.String(), Started: started.String(), Finished: finished.String()}
}

// Polls has each state take so many status polls, of which the last answers
// with the next state. Time does not move it.
func Polls(perState int) *Pacing { return &Pacing{Mode: "polls", PerState: perState} }
