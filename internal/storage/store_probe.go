package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"
)

// Check returns a *StoreError unless the store is available and can be read.
func (s *Store) Check(ctx context.Context) error {
	found, err := readMarker(ctx, s.Backend)
	if err == nil && found.Database != s.marker.Database {
		err = fmt.Errorf("its marker %w", &fs.PathError{Op: "read", Path: markerKey, Err: errForeignMarker})
	}
	if err != nil {
		return newStoreError(ctx, err)
	}
	return nil
}

const (
	probeKey      = "understudy.probe"
	probeSize     = 64 << 10        // bytes
	probeInterval = 3 * time.Second // between probes of a store that works
	retryInterval = time.Second     // between probes of one that does not
	probeTimeout  = 10 * time.Second
	probePatience = 2 * time.Second // a store whose probe takes longer is not responding
)

// responds returns a *StoreError if the store is not responding. A call to a file system
// that hangs cannot be interrupted, and each such call occupies a thread.
func (s *Store) responds() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Backend.IsFileSystem() || s.probingSince.IsZero() || time.Since(s.probingSince) < probePatience {
		return nil
	}
	return &StoreError{notResponding, fmt.Errorf("a write has been in progress since %s", s.probingSince.UTC().Format(time.RFC3339))}
}

// Ready returns a *StoreError unless objects can be written and read. It writes an object, reads it and deletes it
// again, unless another object was written within the last probeInterval. If ctx ends before the probe does and the
// store is not a file system, Ready returns the error of the last write, or its own previous result if that write
// succeeded, because a timeout shows neither that the store has failed nor that it has recovered.
func (s *Store) Ready(ctx context.Context) error {
	err := s.ready(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = err
	return err
}

func (s *Store) ready(ctx context.Context) error {
	s.mu.Lock()
	testedAt, failure, reported := s.testedAt, s.failure, s.reported
	s.mu.Unlock()
	if age := time.Since(testedAt); age < retryInterval || failure == nil && age < probeInterval {
		return failure
	}
	// A write to a file system that hangs cannot be interrupted, so Ready does not wait
	// for it.
	select {
	case result := <-s.startProbe(ctx):
		if result.Err != nil {
			return newStoreError(ctx, result.Err)
		}
		return nil
	case <-ctx.Done():
		if !s.Backend.IsFileSystem() { // the probe ends
			return cmp.Or(failure, reported)
		}
		return &StoreError{notResponding, ctx.Err()}
	}
}

// startProbe starts a probe, unless one is in progress, and returns a channel that
// receives its result.
func (s *Store) startProbe(ctx context.Context) <-chan singleflight.Result {
	return s.probes.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		s.probing(time.Now())
		defer s.probing(time.Time{})
		err := s.probe(ctx)
		switch {
		case ctx.Err() != nil:
			err = &StoreError{notResponding, ctx.Err()}
		case err != nil:
			err = newStoreError(ctx, err)
		}
		s.tested(err)
		return nil, err
	})
}

func (s *Store) probing(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probingSince = since
}

// probe writes an object, reads it and deletes it.
func (s *Store) probe(ctx context.Context) error {
	content := make([]byte, probeSize)
	if err := s.Backend.Put(ctx, probeKey, bytes.NewReader(content)); err != nil {
		return err
	}
	return errors.Join(s.readProbe(ctx, content), s.Check(ctx), s.Backend.Delete(ctx, probeKey))
}

// errProbe means that the store returned different bytes from those written.
var errProbe = errors.New("the data read back differs from the data written")

// readProbe reads the probe. Other servers that share the store write and delete the
// same object at the same time, so it may be gone at any moment.
func (s *Store) readProbe(ctx context.Context, want []byte) error {
	object, err := s.Backend.Open(ctx, probeKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer object.Close()
	got, err := io.ReadAll(io.NewSectionReader(object, 0, probeSize+1))
	if err == nil && !bytes.Equal(got, want) {
		err = errProbe
	}
	return err
}

// Probe writes an object to the backend and deletes it again. The error is a
// *StoreError if the backend cannot be a store at present.
func Probe(ctx context.Context, backend Backend) error {
	if _, err := readMarker(ctx, backend); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return newStoreError(ctx, err)
	}
	if err := backend.Put(ctx, probeKey, bytes.NewReader(make([]byte, probeSize))); err != nil {
		return newStoreError(ctx, err)
	}
	if err := backend.Delete(ctx, probeKey); err != nil {
		return newStoreError(ctx, err)
	}
	return nil
}

// tested records the result of a write.
func (s *Store) tested(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if (err == nil) != (s.failure == nil) {
		if err != nil {
			slog.Error("objects cannot be stored", "err", err)
		} else {
			slog.Info("objects can be stored again")
		}
	}
	if err == nil {
		s.writes.Add(1)
	}
	s.testedAt, s.failure = time.Now(), err
}
