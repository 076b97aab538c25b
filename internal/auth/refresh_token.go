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

// refreshLifetime is the real time for which a refresh token can be used after it was
// issued. Real time, so that a token still works after a tenant's clock was moved.
const refreshLifetime = 90 * 24 * time.Hour

const refreshTokenSize = 16 + 4 + 32

// newFamily returns a new id of a family of refresh tokens, a UUID of version 7. It
// contains the real time at which the first token is issued, because that token has no
// row.
func newFamily(now time.Time) uuid.UUID {
	id := uuid.New()
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli())<<16)
	copy(id[:6], ms[:6])
	id[6] = id[6]&0x0F | 7<<4
	return id
}

// issuedAt returns the real time in the id of a family. It is zero in an id of an older
// server, which is a random UUID; such a token does not expire.
func issuedAt(family uuid.UUID) time.Time {
	if family.Version() != 7 {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(family[:8]) >> 16))
}

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
// reports whether the token is valid. Times are the tenant's, except that real is the
// real time.
func rotate(ctx context.Context, db storage.DB, clientID string, t refreshToken, now, real time.Time) (next refreshToken, at time.Time, ok bool, err error) {
	next = refreshToken{t.family, t.generation + 1}
	issued := issuedAt(t.family)
	if issued.IsZero() {
		issued = real
	}
	fresh := real.Sub(issued) <= refreshLifetime
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		// The first rotation of a family inserts its row, in generation 1, unless the token was
		// issued before the tenant was last reset, or to an earlier client with the same id.
		inserted, err := tx.Exec(ctx, `
			insert into refresh_families (id, client_id, generation, rotated_at, used_at)
			select @family, c.id, 1, @now, @real
			from clients c
			join tenants t on t.id = c.tenant_id
			where c.id = @client_id
			and @first
			and @issued >= c.created_at - interval '1 min' -- the clocks of servers can differ
			and (t.refresh_from is null or @issued >= date_trunc('milliseconds', t.refresh_from))
			on conflict do nothing`,
			pgx.StrictNamedArgs{"family": t.family, "client_id": clientID, "first": t.generation == 0 && fresh, "issued": issued, "now": now, "real": real})
		if err != nil {
			return err
		}
		if inserted.RowsAffected() == 1 {
			at, ok = now, true
			return nil
		}
		at, ok, err = rotateStored(ctx, tx, t, now, real)
		return err
	})
	if err != nil {
		return refreshToken{}, time.Time{}, false, fmt.Errorf("rotate refresh token: %w", err)
	}
	return next, at, ok, nil
}

// rotateStored rotates a token of a family that has a row.
func rotateStored(ctx context.Context, tx pgx.Tx, t refreshToken, now, real time.Time) (at time.Time, ok bool, err error) {
	family, err := storage.One[struct {
		Generation uint32
		RotatedAt  time.Time
		RevokedAt  *time.Time
		UsedAt     time.Time
	}](ctx, tx, `
		select generation, rotated_at, revoked_at, used_at
		from refresh_families
		where id = @family
		for update`,
		pgx.StrictNamedArgs{"family": t.family})
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil // the tenant was reset, or the family was deleted
	}
	if err != nil {
		return time.Time{}, false, err
	}
	switch {
	case family.RevokedAt != nil || t.generation > family.Generation || real.Sub(family.UsedAt) > refreshLifetime:
		return time.Time{}, false, nil
	case t.generation == family.Generation:
		_, err = tx.Exec(ctx, `
			update refresh_families
			set generation = generation + 1, rotated_at = @now, used_at = @real
			where id = @family`,
			pgx.StrictNamedArgs{"family": t.family, "now": now, "real": real})
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

// DeleteUnusedRefreshTokens deletes the families of refresh tokens that have expired,
// and returns their number. now is real time. The rows of families with ids of older
// servers stay, because their first tokens would become valid again.
func DeleteUnusedRefreshTokens(ctx context.Context, db storage.DB, now time.Time) (int64, error) {
	deleted, err := db.Exec(ctx, `
		delete from refresh_families
		where id in (
			select id
			from refresh_families
			where used_at < @before
			and substr(id::text, 15, 1) = '7' -- the version of the UUID
			order by used_at
			limit @batch
			for update skip locked
		)`,
		pgx.StrictNamedArgs{"before": now.Add(-refreshLifetime), "batch": trimBatch})
	if err != nil {
		return 0, fmt.Errorf("delete expired refresh tokens: %w", err)
	}
	return deleted.RowsAffected(), nil
}

// trimBatch is the number of rows that are deleted at a time.
const trimBatch = 10_000
