package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal/expiry"
)

// FreeSpace is the flag for the space that the object store leaves free.
type FreeSpace struct {
	MinFreeBytes *int64 `env:"MIN_FREE_BYTES" help:"Uploads are refused while the file system of the object store, if that is a directory, has fewer bytes free. 0 is no limit. If not set, it is 1 GiB or 5 % of the file system, whichever is less."`
}

// check returns an error if the flag is negative.
func (f FreeSpace) check() error {
	if f.MinFreeBytes != nil && *f.MinFreeBytes < 0 {
		return fmt.Errorf("MIN_FREE_BYTES is %d: want 0 for no limit, or more", *f.MinFreeBytes)
	}
	return nil
}

// openObjects opens the object store, which must be that of the database.
func (c *Config) openObjects(ctx context.Context, db *pgxpool.Pool) (*storage.Store, error) {
	backend, err := storage.OpenObjects(c.ObjectsURL, c.DataDir)
	if err != nil {
		return nil, err
	}
	backend = storage.KeepFree(backend, c.MinFreeBytes)
	store, err := storage.BindStore(ctx, db, backend, c.Environment, func() (bool, error) { return c.canReplaceObjects(ctx, db) })
	if err == nil {
		err = checkWritable(ctx, store)
	}
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", c.objectsLocation(), err)
	}
	return store, nil
}

// writeTimeout limits the time of the write with which a starting server tests its object
// store.
const writeTimeout = 5 * time.Second

// checkWritable returns an error if objects cannot be written until somebody changes the
// configuration. Other failures, such as a full disk, may end by themselves; /readyz
// shows them.
func checkWritable(ctx context.Context, store *storage.Store) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := store.Ready(ctx)
	if failure, ok := errors.AsType[*storage.StoreError](err); ok && failure.NeedsOperator() {
		return err
	}
	return nil
}

// objectsLocation is where the object store is, for messages.
func (c *Config) objectsLocation() string {
	return cmp.Or(c.ObjectsURL, filepath.Join(c.DataDir, "objects"))
}

// stopWait is how long the connections of a server that was killed may take to end.
const stopWait = 2 * time.Second

// canReplaceObjects reports whether an object store without a marker can replace the
// one that the database has used before. It can if no file is lost: no unfinished
// submission has a file, and no other server uses the earlier store. In a shared
// deployment the answer is always false, because there the earlier store is probably
// not mounted.
func (c *Config) canReplaceObjects(ctx context.Context, db storage.DB) (bool, error) {
	if c.Ephemeral && c.ObjectsURL == "" {
		return true, nil
	}
	if files, err := expiry.HaveFiles(ctx, db); err != nil || files || c.uat() {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for {
		others, err := storage.OtherServers(ctx, db, c.Environment)
		if errors.Is(err, context.DeadlineExceeded) || err == nil && !others {
			return err == nil, nil
		}
		if err != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}
