package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// markerKey is the key of the marker. The keys of files start with the name of a
// tenant, which has no dot.
const markerKey = "understudy.json"

const maxMarkerSize = 4 << 10 // bytes

// marker is the content of the object that names the database of a store.
type marker struct {
	Database    uuid.UUID `json:"database"`
	Name        string    `json:"name"` // of the database; only for messages
	Environment string    `json:"environment"`
}

func (m marker) String() string {
	return fmt.Sprintf("the environment %s of the database %q (%s)", m.Environment, m.Name, m.Database)
}

var errForeignMarker = errors.New("it belongs to another database")

// BindStore returns the object store of the environment's database. It marks a store
// that has no marker, if the database has not used another store before, or if replace
// returns true. If the store belongs to another database, the error explains what to
// do.
func BindStore(ctx context.Context, db DB, backend Backend, environment string, replace func() (bool, error)) (*Store, error) {
	_, err := db.Exec(ctx, `
		insert into object_store (database_id)
		values (@id)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"id": uuid.New()})
	if err != nil {
		return nil, fmt.Errorf("bind object store: %w", err)
	}
	store := &Store{Backend: backend}
	err = InTx(ctx, db, func(tx pgx.Tx) error {
		// The lock makes servers that start at once take turns.
		row, err := One[struct {
			DatabaseID uuid.UUID
			Name       string
			Marked     bool
		}](ctx, tx, `
			select database_id, current_database()::text as name, marked
			from object_store
			for update`, nil)
		if err != nil {
			return err
		}
		store.marker = marker{row.DatabaseID, row.Name, environment}
		if err := store.bind(ctx, row.Marked, replace); err != nil || row.Marked {
			return err
		}
		_, err = tx.Exec(ctx, "update object_store set marked = true")
		return err
	})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// OpenStore returns the object store of the environment's database, which servers have
// used before. Unlike BindStore it changes nothing: a store without a marker is an error.
func OpenStore(ctx context.Context, db DB, backend Backend, environment string) (*Store, error) {
	row, err := One[struct {
		DatabaseID uuid.UUID
		Name       string
	}](ctx, db, `
		select database_id, current_database()::text as name
		from object_store`, nil)
	if err != nil {
		return nil, fmt.Errorf("the environment %s of this database has no object store yet: %w", environment, err)
	}
	store := &Store{Backend: backend, marker: marker{row.DatabaseID, row.Name, environment}}
	return store, store.bind(ctx, true, func() (bool, error) { return false, nil })
}

// ClaimCollection reports whether the object store is to be searched for orphans, because
// no server has done so within the interval, and records that this server does. now is
// real time.
func ClaimCollection(ctx context.Context, db DB, now time.Time, interval time.Duration) (bool, error) {
	claimed, err := db.Exec(ctx, `
		update object_store
		set collected_at = @now
		where collected_at is null
		or collected_at <= @last`,
		pgx.StrictNamedArgs{"now": now, "last": now.Add(-interval)})
	if err != nil {
		return false, fmt.Errorf("claim collection of orphans: %w", err)
	}
	return claimed.RowsAffected() == 1, nil
}

// bind checks the marker of the store, or creates it. marked is true if the database has
// used a store before.
func (s *Store) bind(ctx context.Context, marked bool, replace func() (bool, error)) error {
	found, err := readMarker(ctx, s.Backend)
	if errors.Is(err, fs.ErrNotExist) {
		if marked {
			if ok, err := replace(); err != nil {
				return err
			} else if !ok {
				return s.missingMarker()
			}
		}
		// A server of another database may have created its marker first.
		if err = s.Backend.Create(ctx, markerKey, bytes.NewReader(s.marker.content())); err == nil {
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			found, err = readMarker(ctx, s.Backend)
		}
	}
	if isA[*StoreError](err) {
		return err
	}
	if err != nil {
		return fmt.Errorf("marker %s: %w", markerKey, err)
	}
	if found.Database != s.marker.Database {
		return fmt.Errorf("it belongs to %s, and this server uses %s: "+
			"set OBJECTS_URL to a store of its own, or use the database of this store", found, s.marker)
	}
	return nil
}

// missingMarker is the error for a store without a marker if the database already uses
// another store.
func (s *Store) missingMarker() error {
	return fmt.Errorf("it has no marker, but %s already has an object store: this is a different directory or bucket, or the object store is not mounted: "+
		"mount it, or set OBJECTS_URL of all servers of the database to the same store; "+
		"to give up the files of the earlier store, put %s into %s here", s.marker, bytes.TrimSpace(s.marker.content()), markerKey)
}

func (m marker) content() []byte {
	content, _ := json.Marshal(m) // cannot fail
	return append(content, '\n')
}

// readMarker returns the marker of a store. The error is fs.ErrNotExist if there is none.
func readMarker(ctx context.Context, backend Backend) (found marker, err error) {
	object, err := backend.Open(ctx, markerKey)
	if err != nil {
		return marker{}, err
	}
	defer object.Close()
	content, err := io.ReadAll(io.NewSectionReader(object, 0, min(object.Size(), maxMarkerSize)))
	if err != nil {
		return marker{}, err
	}
	if err := json.Unmarshal(content, &found); err != nil {
		return marker{}, fmt.Errorf("damaged: %w", err)
	}
	return found, nil
}
