package sandbox

import (
	"encoding/json"
	"fmt"
	"time"
)

// How an Outcome ends a submission.
const (
	Completed      = "Completed"
	Failed         = "Failed"
	ReviewRequired = "Review_required" // completes; version 4 shows it
)

// Outcome is what a submission or a company is to yield, in place of what its
// document says. With Facts, Options or Locations the document is not read:
// they stand in the report as given, and the rest is enriched from them.
// Without, the document's own data are taken.
type Outcome struct {
	Match     Match            `json:"match"`
	Status    string           `json:"status,omitempty"` // Completed, Failed, ReviewRequired; "" = as the document has it
	Facts     map[string]any   `json:"facts,omitzero"`   // by field name: a string, []string, codes or an integer, as the field has it
	Options   map[string]any   `json:"options,omitzero"`
	Locations []map[string]any `json:"locations,omitzero"` // one for each location, its facts and options together
	After     time.Duration    `json:"-"`                  // extra time before the end, of the tenant's

	CreatedAt time.Time `json:"created_at,omitzero"` // only as it is read
}

// Match is what an outcome is for; all that is given must hold, and something
// must be given.
type Match struct {
	Filename    string `json:"filename,omitempty"`     // exact, or with * for any run of characters
	SHA256      string `json:"sha256,omitempty"`       // of the file's bytes, hexadecimal
	CompanyName string `json:"company_name,omitempty"` // as extracted or submitted, of any case
}

// Fault is what is to go wrong with which calls. Times, Every and Probability
// must all be met; those that are 0 ask for nothing.
type Fault struct {
	// Route is a path of the API, its parameters in braces or given, with or
	// without a method before it; or "*".
	Route       string        `json:"route"`
	Status      int           `json:"status,omitempty"`      // the answer's; 500 with neither Delay nor Drop
	Body        any           `json:"body,omitempty"`        // the answer's: a string as text, all else as JSON; nil = as the API would say it
	Delay       time.Duration `json:"-"`                     // real time to wait first, at most a minute
	Drop        bool          `json:"drop,omitempty"`        // cut the connection without an answer
	Times       int           `json:"times,omitempty"`       // act within the first so many calls
	Every       int           `json:"every,omitempty"`       // act on each so manieth call
	Probability float64       `json:"probability,omitempty"` // above 0 and up to 1: by lot, the same with the same Seed
	Seed        string        `json:"seed,omitempty"`
	Expires     time.Duration `json:"-"` // when it ends, from now on, in the tenant's time; 0 = never

	// Only as it is read.
	ID        string    `json:"id,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero = never
	Calls     int       `json:"calls,omitempty"`     // how many calls came to it
	Acted     int       `json:"acted,omitempty"`     // on how many it acted
}

// span is a duration as the control API writes it.
type span time.Duration

func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

// MarshalJSON writes what the control API takes.
func (o Outcome) MarshalJSON() ([]byte, error) {
	o.CreatedAt = time.Time{}
	type plain Outcome
	return json.Marshal(struct {
		plain
		After span `json:"after,omitzero"`
	}{plain(o), span(o.After)})
}

// UnmarshalJSON reads what the control API shows.
func (o *Outcome) UnmarshalJSON(text []byte) error {
	type plain Outcome
	shown := struct {
		*plain
		After span `json:"after"`
	}{plain: (*plain)(o)}
	if err := json.Unmarshal(text, &shown); err != nil {
		return fmt.Errorf("outcome: %w", err)
	}
	o.After = time.Duration(shown.After)
	return nil
}

// MarshalJSON writes what the control API takes.
func (f Fault) MarshalJSON() ([]byte, error) {
	f.ID, f.CreatedAt, f.ExpiresAt, f.Calls, f.Acted = "", time.Time{}, time.Time{}, 0, 0
	type plain Fault
	return json.Marshal(struct {
		plain
		Delay   span `json:"delay,omitzero"`
		Expires span `json:"expires,omitzero"`
	}{plain(f), span(f.Delay), span(f.Expires)})
}

// UnmarshalJSON reads what the control API shows.
func (f *Fault) UnmarshalJSON(text []byte) error {
	type plain Fault
	shown := struct {
		*plain
		Delay span `json:"delay"`
	}{plain: (*plain)(f)}
	if err := json.Unmarshal(text, &shown); err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	f.Delay = time.Duration(shown.Delay)
	return nil
}
