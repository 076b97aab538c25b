package retention

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal/expiry"
)

const (
	// orphanAge is the age that an object must have to be an orphan. The row that refers
	// to a younger one may not be written yet.
	orphanAge = 24 * time.Hour

	collectBatch    = 1000 // keys that are compared with the rows at a time
	collectInterval = 24 * time.Hour
	claimInterval   = 10 * time.Minute // between the checks whether a collection is due
)

// fileKey matches the keys that the server gives to files: tenant, tx_id, random UUID.
// Earlier versions wrote a slash between the last two. No other object in the store is
// deleted.
var fileKey = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[-/][0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Garbage is what Collect has found.
type Garbage struct {
	Objects     int   `json:"objects"`      // files in the object store
	Orphans     int   `json:"orphans"`      // of these, older than 24 hours and not referred to by any row
	OrphanBytes int64 `json:"orphan_bytes"` // size of the orphans
	Deleted     int   `json:"deleted"`      // orphans that were deleted
	Incomplete  int   `json:"incomplete"`   // remains of interrupted writes that were removed
}

// Collect deletes the orphans in the object store: files that no row refers to, because
// they could not be deleted with their rows, or because a server died after it had stored
// them. It also removes the remains of interrupted writes. If dryRun is set, it only
// counts the orphans. Servers can work at the same time.
func Collect(ctx context.Context, db storage.DB, objects *storage.Store, now time.Time, dryRun bool) (found Garbage, err error) {
	if err := objects.Check(ctx); err != nil {
		return found, err
	}
	before := now.Add(-orphanAge)
	sizes := make(map[string]int64, collectBatch)
	collect := func() error {
		orphans, err := orphansAmong(ctx, db, sizes)
		if err != nil {
			return err
		}
		found.Orphans += len(orphans)
		for _, key := range orphans {
			found.OrphanBytes += sizes[key]
		}
		clear(sizes)
		if !dryRun {
			found.Deleted += DeleteFiles(ctx, objects, orphans)
		}
		return nil
	}
	err = objects.Backend.List(ctx, "", func(entry storage.Entry) error {
		if !fileKey.MatchString(entry.Key) {
			return nil
		}
		found.Objects++
		if !entry.ModTime.Before(before) {
			return nil
		}
		sizes[entry.Key] = entry.Size
		if len(sizes) == collectBatch {
			return collect()
		}
		return nil
	})
	if err == nil {
		err = collect()
	}
	if err == nil && !dryRun {
		found.Incomplete, err = objects.Backend.RemoveIncomplete(ctx, before, fileKey.MatchString)
	}
	if err != nil {
		return found, fmt.Errorf("collect garbage: %w", err)
	}
	return found, nil
}

// orphansAmong returns those of the keys that no row refers to.
func orphansAmong(ctx context.Context, db storage.DB, sizes map[string]int64) ([]string, error) {
	if len(sizes) == 0 {
		return nil, nil
	}
	keys := make([]string, 0, len(sizes))
	for key := range sizes {
		keys = append(keys, key)
	}
	return expiry.Unreferenced(ctx, db, keys)
}

// Collector deletes orphans once a day.
type Collector struct {
	DB      storage.DB
	Objects *storage.Store
	Now     func() time.Time // real time
}

// Collect is the background step that calls the function Collect once a day. Of several
// servers with the same database, one does. It returns how long to wait before the next
// call.
func (c *Collector) Collect(ctx context.Context) (time.Duration, error) {
	due, err := storage.ClaimCollection(ctx, c.DB, c.Now(), collectInterval)
	if err != nil || !due {
		return claimInterval, err
	}
	found, err := Collect(ctx, c.DB, c.Objects, c.Now(), false)
	if found.Orphans+found.Incomplete > 0 {
		slog.InfoContext(ctx, "orphans were deleted from the object store",
			"objects", found.Objects, "orphans", found.Orphans, "orphan_bytes", found.OrphanBytes, "deleted", found.Deleted, "incomplete", found.Incomplete)
	}
	return claimInterval, err
}
