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

// How long a server waits for a marker that another one creates at the same time.
const (
	createMarkerTimeout = 10 * time.Second
	createMarkerPause   = 50 * time.Millisecond
)

// marker is the content of the object that names the database of a store.
type marker struct {
	Database    uuid.UUID `json:"database"`
	Name        string    `json:"name"` // of the database; only for messages
	Environment string    `json:"environment"`
}

func (m marker) String() string {
	if m.Database == uuid.Nil {
		return fmt.Sprintf("the environment %s of the database %q", m.Environment, m.Name)
	}
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
	own, marked, err := readIdentity(ctx, db, environment)
	if err != nil {
		return nil, err
	}
	store := &Store{Backend: backend, marker: own}
	if !marked {
		return nil, fmt.Errorf("%s has no object store yet", own)
	}
	found, err := store.checkMarker(ctx)
	if err == nil && !found {
		err = store.missingMarker()
	}
	return store, err
}

// CheckStore returns the error of BindStore that the markers would cause, and changes
// nothing. The environment may not exist yet.
func CheckStore(ctx context.Context, db DB, backend Backend, environment string, replace func() (bool, error)) error {
	own, marked, err := readIdentity(ctx, db, environment)
	if err != nil {
		return err
	}
	store := &Store{Backend: backend, marker: own}
	found, err := store.checkMarker(ctx)
	if found && own.Database == uuid.Nil { // another server of the database may have created both in between
		if store.marker, _, err = readIdentity(ctx, db, environment); err == nil {
			_, err = store.checkMarker(ctx)
		}
	}
	if err != nil || found || !marked {
		return err
	}
	return store.checkReplacement(replace)
}

// readIdentity returns the marker of the environment's object store, without an identity
// if there is none yet, and whether it has been written.
func readIdentity(ctx context.Context, db DB, environment string) (own marker, marked bool, err error) {
	own.Environment = environment
	var known bool
	err = db.QueryRow(ctx, "select current_database()::text, to_regclass('object_store') is not null").Scan(&own.Name, &known)
	if err == nil && known {
		err = db.QueryRow(ctx, "select database_id, marked from object_store").Scan(&own.Database, &marked)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return marker{}, false, fmt.Errorf("read the identity of the database: %w", err)
	}
	return own, marked, nil
}

// Collected reports whether a server has ever claimed the collection of orphans in the
// environment, which may not exist yet.
func Collected(ctx context.Context, db DB) (collected bool, err error) {
	if err := db.QueryRow(ctx, "select to_regclass('object_store') is not null").Scan(&collected); err != nil || !collected {
		return false, err
	}
	// The column may not exist yet.
	err = db.QueryRow(ctx, "select exists (select from object_store as o where to_jsonb(o) ->> 'collected_at' is not null)").Scan(&collected)
	return collected, err
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
	found, err := s.checkMarker(ctx)
	if err != nil || found {
		return err
	}
	if marked {
		if err := s.checkReplacement(replace); err != nil {
			return err
		}
	}
	return s.createMarker(ctx)
}

// createMarker creates the marker. If another server, perhaps with another database,
// creates its marker first, createMarker checks that marker. An S3 server may already
// refuse a second marker while it does not return the first one yet.
func (s *Store) createMarker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, createMarkerTimeout)
	defer cancel()
	for {
		err := s.Backend.Create(ctx, markerKey, bytes.NewReader(s.marker.content()))
		if !errors.Is(err, fs.ErrExist) {
			return markerError(err)
		}
		if found, err := s.checkMarker(ctx); found || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return markerError(fmt.Errorf("it exists but cannot be read: %w", context.Cause(ctx)))
		case <-time.After(createMarkerPause):
		}
	}
}

// checkMarker reports whether the store has a marker. It is an error if the marker names
// another database.
func (s *Store) checkMarker(ctx context.Context) (found bool, err error) {
	marker, err := readMarker(ctx, s.Backend)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isA[*StoreError](err):
		return false, nil
	case err != nil:
		return false, markerError(err)
	case marker.Database != s.marker.Database:
		return true, fmt.Errorf("it belongs to %s, and this server uses %s: "+
			"set OBJECTS_URL to a store of its own, or use the database of this store", marker, s.marker)
	}
	return true, nil
}

// markerError names the marker in an error that is not about the whole store.
func markerError(err error) error {
	if err == nil || isA[*StoreError](err) {
		return err
	}
	return fmt.Errorf("marker %s: %w", markerKey, err)
}

// checkReplacement returns an error unless the store can replace the one that the
// database has used before.
func (s *Store) checkReplacement(replace func() (bool, error)) error {
	ok, err := replace()
	if err == nil && !ok {
		err = s.missingMarker()
	}
	return err
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
