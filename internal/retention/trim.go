package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/expiry"
)

// Ages are how long the server keeps things, in real time. 0 is for ever.
type Ages struct {
	Submissions time.Duration // submissions and the reports of company submits, from their end
	Uploads     time.Duration // submissions that were not triggered, from their creation or last upload
}

// batch is the number of transactions that are deleted in one database transaction, and
// so the number whose rows are locked at a time.
const batch = 200

// Trimmer deletes what has been kept long enough. Several servers can do so at the same
// time: each skips the rows that another one has locked.
type Trimmer struct {
	DB      storage.DB
	Objects *storage.Store
	Now     func() time.Time // real time
	Keep    Ages
}

// removed counts what Trim has deleted.
type removed struct {
	submissions, uploads, companies, files int
	tokens, secrets, faults                int64
}

// Trim is the background step that deletes everything that has been kept long enough. It
// returns how long to wait before the next call.
func (t *Trimmer) Trim(ctx context.Context) (time.Duration, error) {
	var n removed
	err := t.trim(ctx, &n)
	if n != (removed{}) {
		slog.InfoContext(ctx, "expired data was deleted",
			"submissions", n.submissions, "uploads", n.uploads, "company_reports", n.companies, "files", n.files,
			"refresh_tokens", n.tokens, "old_secrets", n.secrets, "expired_faults", n.faults)
	}
	return t.interval(), err
}

// interval returns the time between two calls of Trim: a fraction of the shortest age, so
// that what is kept exceeds it by little, but not more than a minute.
func (t *Trimmer) interval() time.Duration {
	interval := time.Minute
	for _, age := range []time.Duration{t.Keep.Submissions, t.Keep.Uploads} {
		if age > 0 {
			interval = min(interval, max(age/4, time.Second))
		}
	}
	return interval
}

func (t *Trimmer) trim(ctx context.Context, n *removed) error {
	var err1, err2, err3 error
	// While the store is away, files could not be deleted.
	if t.Objects.Check(ctx) == nil {
		n.submissions, err1 = t.trimSubmissions(ctx, expiry.Ended, t.Keep.Submissions, &n.files)
		n.uploads, err2 = t.trimSubmissions(ctx, expiry.Untriggered, t.Keep.Uploads, &n.files)
	}
	n.companies, err3 = t.trimCompanies(ctx)
	var err4, err5, err6 error
	n.tokens, err4 = auth.DeleteUnusedRefreshTokens(ctx, t.DB, t.Now())
	n.secrets, err5 = auth.DeleteOldSecrets(ctx, t.DB, t.Now())
	n.faults, err6 = fault.DeleteExpired(ctx, t.DB, t.Now())
	return errors.Join(err1, err2, err3, err4, err5, err6)
}

// trimSubmissions deletes the submissions of the kind that are older than the age, with
// everything about them. It returns their number, and adds that of their files to files.
func (t *Trimmer) trimSubmissions(ctx context.Context, kind expiry.Kind, age time.Duration, files *int) (n int, err error) {
	if age == 0 {
		return 0, nil
	}
	before := t.Now().Add(-age)
	var last expiry.Aged
	var failed []error // of some tenants, which do not concern the others
	for {
		expired, err := expiry.Find(ctx, t.DB, kind, before, last, batch)
		if err != nil || len(expired) == 0 {
			return n, errors.Join(append(failed, err)...)
		}
		last = expired[len(expired)-1]
		ofTenant := map[uuid.UUID][]uuid.UUID{}
		for _, s := range expired {
			ofTenant[s.TenantID] = append(ofTenant[s.TenantID], s.TxID)
		}
		for tenantID, ids := range ofTenant {
			deleted, keys, err := t.deleteExpired(ctx, kind, before, tenantID, ids)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			n += deleted
			*files += DeleteFiles(context.WithoutCancel(ctx), t.Objects, keys)
		}
	}
}

// deleteExpired deletes those of the tenant's submissions that are still expired, with
// everything about them. It returns their number, and the keys of their files.
func (t *Trimmer) deleteExpired(ctx context.Context, kind expiry.Kind, before time.Time, tenantID uuid.UUID, ids []uuid.UUID) (n int, keys []string, err error) {
	err = storage.InTx(ctx, t.DB, func(tx pgx.Tx) error {
		n, keys = 0, nil
		tenants, err := auth.LockFreeTenants(ctx, tx, tenantID)
		if err != nil || len(tenants) == 0 { // it is being deleted or reset
			return err
		}
		deleted, err := expiry.Delete(ctx, tx, tenantID, kind, before, ids)
		if err != nil || len(deleted) == 0 {
			return err
		}
		txIDs := make([]string, len(deleted))
		for i, s := range deleted {
			txIDs[i] = s.TxID.String()
			if s.ObjectKey != "" {
				keys = append(keys, s.ObjectKey)
			}
		}
		n = len(deleted)
		return deleteAbout(ctx, tx, tenantID, txIDs...)
	})
	if err != nil {
		return 0, nil, fmt.Errorf("delete expired submissions: %w", err)
	}
	return n, keys, nil
}

// trimCompanies deletes the reports of company submits that are older than the age of
// submissions, with everything about them, and returns their number.
func (t *Trimmer) trimCompanies(ctx context.Context) (n int, err error) {
	if t.Keep.Submissions == 0 {
		return 0, nil
	}
	before := t.Now().Add(-t.Keep.Submissions)
	var last data.Aged
	var failed []error // of some tenants, which do not concern the others
	for {
		expired, err := data.ExpiredCompanies(ctx, t.DB, before, last, batch)
		if err != nil || len(expired) == 0 {
			return n, errors.Join(append(failed, err)...)
		}
		last = expired[len(expired)-1]
		ofTenant := map[uuid.UUID][]string{}
		for _, report := range expired {
			ofTenant[report.TenantID] = append(ofTenant[report.TenantID], report.TxID)
		}
		for tenantID, txIDs := range ofTenant {
			deleted := 0
			err := storage.InTx(ctx, t.DB, func(tx pgx.Tx) error {
				tenants, err := auth.LockFreeTenants(ctx, tx, tenantID)
				if err != nil || len(tenants) == 0 {
					deleted = 0
					return err
				}
				deleted = len(txIDs)
				return deleteAbout(ctx, tx, tenantID, txIDs...)
			})
			if err != nil {
				failed = append(failed, fmt.Errorf("delete expired company reports: %w", err))
				continue
			}
			n += deleted
		}
	}
}
