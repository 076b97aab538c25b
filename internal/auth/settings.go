package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Settings are what a tenant can choose. The zero value is the default.
type Settings struct {
	Pacing             Pacing  `json:"pacing,omitzero"`
	StatusVocabulary   string  `json:"status_vocabulary,omitempty"` // "processing" (the default) or "polling"
	TrailingWhitespace bool    `json:"trailing_whitespace,omitempty"`
	RateLimit          float64 `json:"rate_limit,omitempty"` // calls per second; 0 = no limit
	Webhooks           string  `json:"webhooks,omitempty"`   // "send" (the default) or "collect"
}

// Pacing is what a submission waits for before each of its states.
type Pacing struct {
	Mode      string `json:"mode,omitempty"`      // "timed" (the default), "immediate" or "polls"
	Scheduled string `json:"scheduled,omitempty"` // waits of the mode timed
	Started   string `json:"started,omitempty"`
	Finished  string `json:"finished,omitempty"`
	PerState  int    `json:"per_state,omitempty"` // status polls for each state of the mode polls
}

// ChangeSettings changes a tenant's settings; pgx.ErrNoRows when it is gone.
// What change refuses stays as it was.
func (g *Gate) ChangeSettings(ctx context.Context, id uuid.UUID, change func(*Settings) error) (Tenant, error) {
	var tenant Tenant
	var refusal error
	err := pgx.BeginFunc(ctx, g.db, func(tx pgx.Tx) (err error) {
		if tenant, err = LockTenant(ctx, tx, id); err != nil {
			return err
		}
		if refusal = change(&tenant.Settings); refusal != nil {
			return refusal
		}
		_, err = tx.Exec(ctx, `
			update tenants
			set settings = @settings
			where id = @id`,
			pgx.StrictNamedArgs{"id": id, "settings": tenant.Settings})
		return err
	})
	g.Refresh(id)
	if err != nil && refusal == nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("change settings: %w", err)
	}
	return tenant, err
}

// Forget has this server read the tenant anew: what was changed acts at once
// here, and within a second elsewhere.
func (g *Gate) Refresh(tenantID uuid.UUID) { g.clients.forgetTenant(tenantID) }

// LockTenant returns a tenant, and keeps others from changing its clock and its
// settings until the transaction ends; pgx.ErrNoRows when there is none.
func LockTenant(ctx context.Context, tx pgx.Tx, id uuid.UUID) (Tenant, error) {
	return storage.One[Tenant](ctx, tx, `
		select `+tenantColumns+`
		from tenants
		where id = @id
		for no key update`,
		pgx.StrictNamedArgs{"id": id})
}

// CollectsWebhooks reports whether deliveries are kept to be read instead of
// being sent.
func (s Settings) CollectsWebhooks() bool { return s.Webhooks == "collect" }
