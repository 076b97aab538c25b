package control

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
)

// PutOutcome is `PUT /tenants/{t}/outcomes`: it sets the outcome of matching
// submissions or companies. It replaces an outcome with the same match. If several
// outcomes match, the newest applies.
func PutOutcome(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		o, err := readOutcome(r)
		if err != nil {
			return err
		}
		o.CreatedAt = tenant.Time(gate.Now())
		err = outcome.Put(r.Context(), db, tenant.ID, o)
		if errors.Is(err, outcome.ErrTooMany) {
			return api.NewControlError(http.StatusConflict, err.Error())
		}
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newOutcomeBody(o))
	}
}

// outcomeMemory is how many times more memory outcomes need while they are decoded and
// rendered than in their stored form.
const outcomeMemory = 4

// Outcomes is `GET /tenants/{t}/outcomes`, newest first.
func Outcomes(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		size, err := outcome.StoredSize(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		room, err := budget.Reserve(r.Context(), tenant.ID, outcomeMemory*size)
		if err != nil {
			return err
		}
		defer room.Release()
		found, err := outcome.List(r.Context(), db, tenant.ID)
		if err != nil {
			return err
		}
		bodies := make([]outcomeBody, len(found))
		for i, o := range found {
			bodies[i] = newOutcomeBody(o)
		}
		return api.Write(w, http.StatusOK, map[string]any{"outcomes": bodies})
	}
}

// DeleteOutcomes is `DELETE /tenants/{t}/outcomes`.
func DeleteOutcomes(db storage.DB) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		if err := outcome.Drop(r.Context(), db, tenant.ID); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// outcomeBody is an outcome as the control API shows it.
type outcomeBody struct {
	Match     matchBody        `json:"match"`
	Status    *string          `json:"status,omitempty"`
	Facts     outcome.Values   `json:"facts,omitzero"`
	Options   outcome.Values   `json:"options,omitzero"`
	Locations []outcome.Values `json:"locations,omitzero"`
	Packages  outcome.Packages `json:"packages,omitzero"`
	Raw       bool             `json:"raw,omitempty"`
	After     string           `json:"after,omitempty"`
	CreatedAt api.Time         `json:"created_at,omitzero"`
}

type matchBody struct {
	Filename    *string `json:"filename,omitempty"`
	SHA256      string  `json:"sha256,omitempty"`
	CompanyName *string `json:"company_name,omitempty"`
}

func newOutcomeBody(o outcome.Outcome) outcomeBody {
	body := outcomeBody{
		Match:     matchBody{o.Filename, hex.EncodeToString(o.SHA256), o.CompanyName},
		Status:    o.Status,
		Facts:     o.Facts,
		Options:   o.Options,
		Locations: o.Locations,
		Packages:  o.Packages,
		Raw:       o.Raw,
		CreatedAt: api.Time(o.CreatedAt),
	}
	if o.After > 0 {
		body.After = o.After.String()
	}
	return body
}

// readOutcome reads an outcome from the request's body.
func readOutcome(r *http.Request) (o outcome.Outcome, err error) {
	body, err := api.ReadFields(r, outcomeFields...)
	if err != nil {
		return o, err
	}
	return parseOutcome(body)
}

var outcomeFields = []string{"match", "status", "facts", "options", "locations", "packages", "raw", "after"}

// parseOutcome parses an outcome, whose keys are known.
func parseOutcome(body api.Object) (o outcome.Outcome, err error) {
	if body["match"] == nil {
		return o, api.BadRequest("match is required")
	}
	if err := readMatch(body["match"], &o); err != nil {
		return o, err
	}
	if raw, given := body["status"]; given {
		status, err := api.ReadOneOf("status", raw, outcome.Completed, outcome.Failed, outcome.ReviewRequired)
		if err != nil {
			return o, err
		}
		o.Status = &status
	}
	if err := readValues(body, &o); err != nil {
		return o, err
	}
	if raw, given := body["after"]; given {
		if o.After, err = api.ReadDuration("after", raw); err != nil {
			return o, err
		}
	}
	if o.HasStatus(outcome.Failed) && o.HasValues() {
		return o, api.BadRequest("status: a failed submission has no facts, options, locations or packages")
	}
	return o, nil
}

// readValues reads the values that the outcome sets.
func readValues(body api.Object, o *outcome.Outcome) (err error) {
	if raw, given := body["raw"]; given {
		if json.Unmarshal(raw, &o.Raw) != nil || string(raw) == "null" {
			return api.BadRequest("raw: want true or false")
		}
	}
	if raw, given := body["facts"]; given {
		if o.Facts, err = outcome.ParseValues("facts", raw, outcome.Facts, o.Raw); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	if raw, given := body["options"]; given {
		if o.Options, err = outcome.ParseValues("options", raw, outcome.Options, o.Raw); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	if raw, given := body["locations"]; given {
		if o.Locations, err = readLocations(raw, o.Raw); err != nil {
			return err
		}
	}
	if raw, given := body["packages"]; given {
		if o.Packages, err = outcome.ParsePackages("packages", raw, o.Raw, maxLocations); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	return nil
}

// readMatch reads the criteria of the outcome.
func readMatch(text json.RawMessage, o *outcome.Outcome) error {
	match, err := api.ReadObject("match", text, "filename", "sha256", "company_name")
	if err != nil {
		return err
	}
	if len(match) == 0 {
		return api.BadRequest("match: want a filename, a sha256 or a company_name")
	}
	for key, target := range map[string]**string{"filename": &o.Filename, "company_name": &o.CompanyName} {
		if raw, given := match[key]; given {
			name, err := api.ReadText("match."+key, raw)
			if err != nil {
				return err
			}
			*target = &name
		}
	}
	if raw, given := match["sha256"]; given {
		digits, _ := match.Text("sha256")
		digest, err := hex.DecodeString(digits)
		if err != nil || len(digest) != 32 {
			return api.BadRequest("match.sha256: want 64 hexadecimal digits, not %s", shortened(raw))
		}
		o.SHA256 = digest
	}
	return nil
}

func shortened(text json.RawMessage) string {
	if len(text) > 80 {
		return string(text[:80]) + "…"
	}
	return string(text)
}

// maxLocations is the maximum number of locations of an outcome.
const maxLocations = 10_000

func readLocations(text json.RawMessage, anyValues bool) ([]outcome.Values, error) {
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil || raw == nil || len(raw) > maxLocations {
		return nil, api.BadRequest("locations: want an array of at most %d objects", maxLocations)
	}
	locations := make([]outcome.Values, len(raw))
	for i := range raw {
		location, err := outcome.ParseValues(fmt.Sprintf("locations[%d]", i), raw[i], outcome.LocationFields, anyValues)
		if err != nil {
			return nil, api.BadRequest("%s", err)
		}
		locations[i] = location
	}
	return locations, nil
}

// timeOrNone returns a time in the format of responses, and the zero time for nil.
func timeOrNone(t *time.Time) api.Time {
	if t == nil {
		return api.Time{}
	}
	return api.Time(*t)
}
