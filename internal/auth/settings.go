package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Settings are the settings of a tenant. The zero value is the default.
type Settings struct {
	Pacing             Pacing  `json:"pacing,omitzero"`
	StatusVocabulary   string  `json:"status_vocabulary,omitempty"` // "processing" (the default) or "polling"
	TrailingWhitespace bool    `json:"trailing_whitespace,omitempty"`
	RateLimit          float64 `json:"rate_limit,omitempty"` // calls per second; 0 = no limit
	Webhooks           string  `json:"webhooks,omitempty"`   // "send" (the default) or "collect"
	IDSeed             *int64  `json:"id_seed,omitempty"`    // ids are derived from it; nil = ids do not recur

	// Quotas; 0 = none.
	MaxUploadBytes int64 `json:"max_upload_bytes,omitempty"` // of one upload
	MaxStoredBytes int64 `json:"max_stored_bytes,omitempty"` // of all files of submissions
	MaxSubmissions int64 `json:"max_submissions,omitempty"`
}

// HasQuotas reports whether the tenant has a quota.
func (s Settings) HasQuotas() bool {
	return s.MaxUploadBytes > 0 || s.MaxStoredBytes > 0 || s.MaxSubmissions > 0
}

// Pacing sets what a submission waits for before each of its states.
type Pacing struct {
	Mode      string `json:"mode,omitempty"`      // "timed" (the default), "immediate" or "polls"
	Scheduled string `json:"scheduled,omitempty"` // waits of the timed mode, such as "500ms"
	Started   string `json:"started,omitempty"`
	Finished  string `json:"finished,omitempty"`
	PerState  int    `json:"per_state,omitempty"` // status polls per state in the polls mode
}

// ChangeSettings changes a tenant's settings and returns the tenant. If change
// returns an error, the settings stay as they are; it may be called several times. The
// error is ErrTenantGone if the tenant does not exist.
func (g *Gate) ChangeSettings(ctx context.Context, db storage.DB, id uuid.UUID, change func(*Settings) error) (Tenant, error) {
	var tenant Tenant
	var refused error
	err := InTenantTx(ctx, db, id, func(tx pgx.Tx, locked Tenant) error {
		tenant = locked
		if refused = change(&tenant.Settings); refused != nil {
			return refused
		}
		_, err := tx.Exec(ctx, `
			update tenants
			set settings = @settings
			where id = @id`,
			pgx.StrictNamedArgs{"id": id, "settings": tenant.Settings})
		return err
	})
	g.EvictTenant(id)
	if err != nil && refused == nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("change settings: %w", err)
	}
	return tenant, err
}

// EvictTenant evicts the tenant from this server's cache, so that a change takes effect at
// once. On other servers the change takes effect within cacheTTL.
func (g *Gate) EvictTenant(tenantID uuid.UUID) { g.clients.evictTenant(tenantID) }

// CollectsWebhooks reports whether deliveries are stored for reading instead of
// being sent.
func (s Settings) CollectsWebhooks() bool { return s.Webhooks == "collect" }
