package sandbox

import (
	"encoding/json"
	"fmt"
	"time"
)

// Values of Outcome.Status.
const (
	Completed      = "Completed"
	Failed         = "Failed"
	ReviewRequired = "Review_required" // completes the submission; only version 4 shows this status
)

// Outcome determines the result of a submission or a company submit. If Facts, Options,
// Locations or Packages are set, the document is not processed: the report contains
// these values unchanged, and its other values are derived from them. Otherwise the
// report contains the values extracted from the document. A value that does not have
// the form of its field is refused, unless Raw is set.
type Outcome struct {
	Match     Match            `json:"match"`
	Status    string           `json:"status,omitempty"` // Completed, Failed or ReviewRequired; "" for the result of processing
	Facts     map[string]any   `json:"facts,omitzero"`   // by field name; the type of a value is that of the field: string, []string, codes or integer
	Options   map[string]any   `json:"options,omitzero"`
	Locations []map[string]any `json:"locations,omitzero"` // one map per location, with both its facts and its options
	// Packages are values of version 5 by content. Those of a content are a
	// map[string]any by field name; of ContentProperty and ContentAdvancedProperty
	// also a slice of such maps, one per location. An object is a map[string]any too.
	Packages map[string]any `json:"packages,omitzero"`
	Raw      bool           `json:"raw,omitempty"` // accept any value of a field
	Delay    time.Duration  `json:"-"`             // additional processing time, in the tenant's time

	CreatedAt time.Time `json:"created_at,omitzero"` // set by Outcomes, ignored by SetOutcome
}

// Match selects the submissions and companies that an outcome applies to. At
// least one field must be set, and all fields that are set must match.
type Match struct {
	Filename    string `json:"filename,omitempty"`     // exact, or with * for any sequence of characters
	SHA256      string `json:"sha256,omitempty"`       // of the file, in hexadecimal
	CompanyName string `json:"company_name,omitempty"` // as extracted or submitted, ignoring case
}

// Fault makes calls of the API fail, or delays them. It affects the calls that
// match Route and satisfy Times, Every and Probability, of which 0 means no
// condition. With Delivery in place of Route, it affects the first attempts of
// webhook deliveries; if Times is set, WrongSignature, Truncate and Drop also affect
// retries. Every event is still delivered, by a later retry.
type Fault struct {
	// Route is a path of the API, optionally preceded by a method, or "*" for
	// all calls. A parameter of the path is either its name in braces, for any
	// value, or a value.
	Route string `json:"route,omitempty"`

	// Delivery selects the deliveries that are affected by their events: a
	// subject, "subject:action", or "*" for all.
	Delivery       string `json:"delivery,omitempty"`
	Duplicate      int    `json:"duplicate,omitempty"`       // deliver the event this many times more
	Reorder        bool   `json:"reorder,omitempty"`         // swap the delivery with the next one to its subscription; without one it is delivered after 10 s of the tenant's time
	WrongSignature bool   `json:"wrong_signature,omitempty"` // sign with another secret; the delivery is retried whatever the response is
	Truncate       bool   `json:"truncate,omitempty"`        // send only the first half of the body; the delivery is retried whatever the response is

	Status      int           `json:"status,omitempty"`      // of the response; the default is 500 if neither Delay nor Drop is set
	Body        any           `json:"body,omitempty"`        // of the response: a string is sent as text, anything else as JSON; nil means the API's own body for Status
	Delay       time.Duration `json:"-"`                     // real time to wait before anything else, at most one minute; of a delivery, tenant's time, at most 30 days
	Drop        bool          `json:"drop,omitempty"`        // close the connection without a response; of a delivery, ignore the response and retry
	Times       int           `json:"times,omitempty"`       // affect only the first Times matching calls
	Every       int           `json:"every,omitempty"`       // affect only every n-th matching call
	Probability float64       `json:"probability,omitempty"` // affect a random share of the matching calls, up to 1; reproducible with the same Seed
	Seed        string        `json:"seed,omitempty"`
	ExpiresIn   time.Duration `json:"-"` // lifetime in the tenant's time; 0 means no limit

	// Set by AddFault and Faults, and ignored in the argument of AddFault.
	ID            string    `json:"id,omitempty"`
	CreatedAt     time.Time `json:"created_at,omitzero"`
	ExpiresAt     time.Time `json:"expires_at,omitzero"` // zero if it never expires
	MatchedCalls  int       `json:"calls,omitempty"`     // calls that matched Route, or deliveries that matched Delivery
	AffectedCalls int       `json:"acted,omitempty"`     // those that the fault affected
}

// durationText is a duration in the form of the control API, such as "1m0s".
type durationText time.Duration

func (s durationText) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

func (s *durationText) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = durationText(d)
	return err
}

// MarshalJSON encodes the request body of the control API.
func (o Outcome) MarshalJSON() ([]byte, error) {
	o.CreatedAt = time.Time{}
	type plain Outcome
	return json.Marshal(struct {
		plain
		After durationText `json:"after,omitzero"`
	}{plain(o), durationText(o.Delay)})
}

// UnmarshalJSON decodes a response of the control API.
func (o *Outcome) UnmarshalJSON(text []byte) error {
	type plain Outcome
	decoded := struct {
		*plain
		After durationText `json:"after"`
	}{plain: (*plain)(o)}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return fmt.Errorf("outcome: %w", err)
	}
	o.Delay = time.Duration(decoded.After)
	return nil
}

// MarshalJSON encodes the request body of the control API.
func (f Fault) MarshalJSON() ([]byte, error) {
	f.ID, f.CreatedAt, f.ExpiresAt, f.MatchedCalls, f.AffectedCalls = "", time.Time{}, time.Time{}, 0, 0
	type plain Fault
	return json.Marshal(struct {
		plain
		Delay   durationText `json:"delay,omitzero"`
		Expires durationText `json:"expires,omitzero"`
	}{plain(f), durationText(f.Delay), durationText(f.ExpiresIn)})
}

// UnmarshalJSON decodes a response of the control API.
func (f *Fault) UnmarshalJSON(text []byte) error {
	type plain Fault
	decoded := struct {
		*plain
		Delay durationText `json:"delay"`
	}{plain: (*plain)(f)}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return fmt.Errorf("fault: %w", err)
	}
	f.Delay = time.Duration(decoded.Delay)
	return nil
}
