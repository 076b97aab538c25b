package auth

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// refreshToken is the content of a refresh token: the id of its family and its
// generation in the family. An HMAC binds both to the client, by its user id, and to
// the environment. So the server can compute the successor of a token, and a token that
// is never used needs no row.
type refreshToken struct {
	family     uuid.UUID
	generation uint32
}

// replayPeriod is the time after a rotation during which the old token still returns
// the same successor, for a client that did not receive the response.
const replayPeriod = 10 * time.Second

const refreshTokenSize = 16 + 4 + 32

func (k *Keys) issueRefresh(userID uuid.UUID, t refreshToken) string {
	b := binary.BigEndian.AppendUint32(t.family[:], t.generation)
	return base64.RawURLEncoding.EncodeToString(append(b, sum(k.refresh, b, userID[:])...))
}

func (k *Keys) parseRefresh(userID uuid.UUID, token string) (refreshToken, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) != refreshTokenSize || !hmac.Equal(b[20:], sum(k.refresh, b[:20], userID[:])) {
		return refreshToken{}, false
	}
	return refreshToken{uuid.UUID(b[:16]), binary.BigEndian.Uint32(b[16:])}, true
}

// rotate exchanges the token for its successor, and returns the time of the first
// exchange. A used token returns the same successor for replayPeriod; after that
// it is considered stolen, and its family is revoked (RFC 9700, section 4.14). ok
// reports whether the token is valid. Times are the tenant's.
func rotate(ctx context.Context, db storage.DB, clientID string, t refreshToken, now time.Time) (next refreshToken, at time.Time, ok bool, err error) {
	next = refreshToken{t.family, t.generation + 1}
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		// The first rotation of a family inserts its row, in generation 1.
		inserted, err := tx.Exec(ctx, `
			insert into refresh_families (id, client_id, generation, rotated_at)
			select @family, @client_id, 1, @now
			where @generation = 0
			on conflict do nothing`,
			pgx.StrictNamedArgs{"family": t.family, "client_id": clientID, "generation": t.generation, "now": now})
		if err != nil {
			return err
		}
		if inserted.RowsAffected() == 1 {
			at, ok = now, true
			return nil
		}
		at, ok, err = rotateStored(ctx, tx, t, now)
		return err
	})
	if err != nil {
		return refreshToken{}, time.Time{}, false, fmt.Errorf("rotate refresh token: %w", err)
	}
	return next, at, ok, nil
}

// rotateStored rotates a token of a family that has a row.
func rotateStored(ctx context.Context, tx pgx.Tx, t refreshToken, now time.Time) (at time.Time, ok bool, err error) {
	family, err := storage.One[struct {
		Generation uint32
		RotatedAt  time.Time
		RevokedAt  *time.Time
	}](ctx, tx, `
		select generation, rotated_at, revoked_at
		from refresh_families
		where id = @family
		for update`,
		pgx.StrictNamedArgs{"family": t.family})
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil // the tenant was reset
	}
	if err != nil {
		return time.Time{}, false, err
	}
	switch {
	case family.RevokedAt != nil || t.generation > family.Generation:
		return time.Time{}, false, nil
	case t.generation == family.Generation:
		_, err = tx.Exec(ctx, `
			update refresh_families
			set generation = generation + 1, rotated_at = @now
			where id = @family`,
			pgx.StrictNamedArgs{"family": t.family, "now": now})
		return now, err == nil, err
	case t.generation == family.Generation-1 && now.Sub(family.RotatedAt) <= replayPeriod:
		return family.RotatedAt, true, nil
	default:
		_, err = tx.Exec(ctx, `
			update refresh_families
			set revoked_at = @now
			where id = @family`,
			pgx.StrictNamedArgs{"family": t.family, "now": now})
		return time.Time{}, false, err
	}
}
