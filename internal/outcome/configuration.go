package outcome

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// Definition is an outcome as it is set, without the time of its creation.
type Definition struct {
	Match     Match    `json:"match"`
	Status    *string  `json:"status,omitempty"`
	Facts     Values   `json:"facts,omitzero"`
	Options   Values   `json:"options,omitzero"`
	Locations []Values `json:"locations,omitzero"`
	Packages  Packages `json:"packages,omitzero"`
	Raw       bool     `json:"raw,omitempty"`
	After     string   `json:"after,omitempty"`
}

// Match are the criteria of an outcome.
type Match struct {
	Filename    *string `json:"filename,omitempty"`
	SHA256      string  `json:"sha256,omitempty"` // hexadecimal
	CompanyName *string `json:"company_name,omitempty"`
}

// NewDefinition returns the definition of an outcome.
func NewDefinition(o Outcome) Definition {
	d := Definition{
		Match:     Match{o.Filename, hex.EncodeToString(o.SHA256), o.CompanyName},
		Status:    o.Status,
		Facts:     o.Facts,
		Options:   o.Options,
		Locations: o.Locations,
		Packages:  o.Packages,
		Raw:       o.Raw,
	}
	if o.After > 0 {
		d.After = o.After.String()
	}
	return d
}

// Definitions returns the tenant's outcomes, newest first.
func Definitions(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]Definition, error) {
	found, err := list(ctx, db, tenantID)
	return newDefinitions(found), err
}

func newDefinitions(outcomes []Outcome) []Definition {
	definitions := make([]Definition, len(outcomes))
	for i, o := range outcomes {
		definitions[i] = NewDefinition(o)
	}
	return definitions
}

// Set is all outcomes of a tenant.
type Set struct {
	at       string    // path, for errors
	outcomes []Outcome // newest first
}

// ParseSet parses outcomes in the form of Definition, newest first. Its errors are
// *api.Error and contain paths, which begin with at, the path of the array.
func ParseSet(at string, objects []api.Object) (Set, error) {
	outcomes, seen := make([]Outcome, len(objects)), map[string]int{}
	for i, object := range objects {
		path := api.ElementPath(at, i)
		err := api.CheckKeys(path, object, DefinitionFields...)
		if err != nil {
			return Set{}, err
		}
		if outcomes[i], err = parseOutcome(object); err != nil {
			return Set{}, api.ErrorAt(path, err)
		}
		match, err := json.Marshal(NewDefinition(outcomes[i]).Match)
		if err != nil {
			return Set{}, err
		}
		if first, twice := seen[string(match)]; twice {
			return Set{}, api.BadRequest("%s.match: the same as that of %s", path, api.ElementPath(at, first))
		}
		seen[string(match)] = i
	}
	return Set{at, outcomes}, nil
}

// Replace replaces the tenant's outcomes by the set. If they have the same definitions,
// it changes nothing. now is the tenant's time. The error is an *api.Error if the outcomes
// are too large.
func (s Set) Replace(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, now time.Time) error {
	current, err := list(ctx, tx, tenantID)
	if err != nil || api.SameJSON(newDefinitions(current), newDefinitions(s.outcomes)) {
		return err
	}
	if err := Drop(ctx, tx, tenantID); err != nil {
		return err
	}
	for _, o := range slices.Backward(s.outcomes) { // the newest is the first
		o.CreatedAt = now
		if err := insert(ctx, tx, tenantID, o); err != nil {
			return err
		}
	}
	err = checkTotal(ctx, tx, tenantID)
	if overLimit(err) {
		return api.BadRequest("%s: %s", s.at, err)
	}
	return err
}
