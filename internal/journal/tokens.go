package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Token is an access token that was issued in response to a stored call.
type Token struct {
	ExpiresAt time.Time // tenant's time
	ClientID  string
	RequestID uuid.UUID // X-Request-Id of the response that held it
}

// ExpiredTokens returns the tenant's access tokens that expired after one time and
// until another, in order, if their calls are still stored.
func ExpiredTokens(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]Token, error) {
	expired, err := storage.All[Token](ctx, db, `
		select token_until as expires_at, client_id, id as request_id
		from calls
		where tenant_id = @tenant_id
		and token_until > @after
		and token_until <= @until
		order by token_until, id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "until": until})
	if err != nil {
		return nil, fmt.Errorf("list expired tokens: %w", err)
	}
	return expired, nil
}
