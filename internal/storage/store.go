package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"
)

// Store is the object store of a database. It has a marker, an object that names the
// database. While the marker cannot be read, for example because the directory is not
// mounted, the store counts as away, and no object counts as missing.
type Store struct {
	Backend Backend
	marker  marker

	probes singleflight.Group

	writes, writtenBytes, readBytes, writeErrors, readErrors atomic.Int64

	mu           sync.Mutex
	testedAt     time.Time // time of the last write, successful or not
	failure      error     // of that write; nil if it succeeded
	reported     error     // that Ready has returned last
	probingSince time.Time // zero if no probe is in progress
}

// The states of a store that is not available.
const (
	away          = "away"
	failing       = "failing"
	full          = "full"
	misconfigured = "misconfigured"
	notResponding = "not responding"
	readOnly      = "read-only"
)

// StoreError means that the store is temporarily unable to do an operation. The object
// is not the cause.
type StoreError struct {
	State string // of the store, as in "the object store is full"
	Err   error
}

// Error implements error.
func (e *StoreError) Error() string { return "the object store is " + e.State + ": " + e.Err.Error() }

// NeedsOperator reports whether the store will not work until somebody changes its
// configuration or permissions.
func (e *StoreError) NeedsOperator() bool { return e.State == misconfigured || e.State == readOnly }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// newStoreError wraps the error together with the store's state, which it derives from the error.
// An error of the context or of the key does not concern the store, and is returned unchanged.
func newStoreError(ctx context.Context, err error) error {
	var known *StoreError
	if errors.As(err, &known) || errors.Is(err, errInvalidKey) || ctx.Err() != nil {
		return err
	}
	state := failing
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		state = full
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		state = readOnly
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESTALE):
		state = away
	}
	return &StoreError{state, err}
}

// Put implements Objects. Its error is a *StoreError unless r or ctx is the cause.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	if err := s.responds(); err != nil {
		return err
	}
	// If the file system hangs, the probe does too, and later calls do not wait for it.
	if s.Backend.IsFileSystem() {
		slow := time.AfterFunc(probePatience, func() { s.startProbe(context.WithoutCancel(ctx)) })
		defer slow.Stop()
	}
	source := &errorRecorder{Reader: r}
	err := s.Backend.Put(ctx, key, source)
	switch {
	case source.err != nil, err != nil && ctx.Err() != nil:
		return err
	case err == nil:
		err = s.confirm(ctx, key, source.n)
	}
	if err != nil {
		s.writeErrors.Add(1)
		err = newStoreError(ctx, err)
	} else {
		s.writtenBytes.Add(source.n)
	}
	s.tested(err)
	return err
}

// PutMemory returns approximately the memory in bytes that Put uses for an object of the
// given size, without small buffers.
func (s *Store) PutMemory(size int64) int64 { return s.Backend.PutMemory(size) }

// confirm checks that the object has been written with its size in bytes, to the store
// itself, and not to a directory in its place because the store was not mounted.
func (s *Store) confirm(ctx context.Context, key string, size int64) error {
	object, err := s.Backend.Open(ctx, key)
	if err == nil {
		object.Close()
		if err = s.Check(ctx); err == nil && object.Size() != size {
			err = fmt.Errorf("the store has %d bytes of an object of %d bytes", object.Size(), size)
		}
	}
	if err != nil {
		s.Backend.Delete(ctx, key) // an error is ignored: the caller keeps no reference to the object
	}
	return err
}

// Open implements Objects. Its error is a *StoreError unless ctx is the cause or the
// store has no such object. The same is true for the errors of the returned object.
func (s *Store) Open(ctx context.Context, key string) (Object, error) {
	if err := s.responds(); err != nil {
		return nil, err
	}
	object, err := s.Backend.Open(ctx, key)
	if err == nil {
		if _, isFile := object.(syscall.Conn); isFile { // it is read by other processes
			s.readBytes.Add(object.Size())
			return object, nil
		}
		return storeObject{ctx, s, object}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if away := s.Check(ctx); away != nil {
			s.readErrors.Add(1)
			return nil, away
		}
		return nil, err
	}
	s.readErrors.Add(1)
	return nil, newStoreError(ctx, err)
}

// ErrDiffers means that the store returned other content than was uploaded.
var ErrDiffers = errors.New("the content differs from the upload")

// OpenVerified opens a stored object, which must have this size in bytes and this SHA-256. If one of
// them differs, for example because a proxy in front of S3 replaced the response, the error is a
// *StoreError and ErrDiffers. An object in S3 is copied to a file; one in a directory is not hashed. If
// the store responds that it has no such object, the error is fs.ErrNotExist. For S3 it is a
// *StoreError and ErrDiffers too, because such a response can be wrong for a while.
func (s *Store) OpenVerified(ctx context.Context, key string, size int64, digest []byte) (Object, error) {
	object, err := s.Open(ctx, key)
	if errors.Is(err, fs.ErrNotExist) && !s.Backend.IsFileSystem() {
		return nil, &StoreError{failing, fmt.Errorf("%w: %w", ErrDiffers, err)}
	}
	if err != nil {
		return nil, err
	}
	if _, isFile := object.(syscall.Conn); isFile && object.Size() == size {
		return object, nil
	}
	defer object.Close()
	if object.Size() != size {
		return nil, &StoreError{failing, fmt.Errorf("object %s: %w: it has %d bytes instead of %d", key, ErrDiffers, object.Size(), size)}
	}
	return verifiedCopy(object, key, digest)
}

// verifiedCopy copies an object to a file that exists as long as it is open.
func verifiedCopy(object Object, key string, digest []byte) (Object, error) {
	file, err := os.CreateTemp("", "object-")
	if err != nil {
		return nil, err
	}
	found, size := sha256.New(), object.Size()
	if err = os.Remove(file.Name()); err == nil {
		content, buffer := io.NewSectionReader(object, 0, size), make([]byte, min(size+1, 4<<20))
		_, err = io.CopyBuffer(io.MultiWriter(file, found), content, buffer)
	}
	if err == nil && !bytes.Equal(found.Sum(nil), digest) {
		err = &StoreError{failing, fmt.Errorf("object %s: %w", key, ErrDiffers)}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return fileObject{file, size}, nil
}

// Delete implements Objects.
func (s *Store) Delete(ctx context.Context, key string) error { return s.Backend.Delete(ctx, key) }

// StoreStats counts the use of a store by this process.
type StoreStats struct {
	WrittenBytes, ReadBytes int64 // a file that another process reads counts as read when it is opened
	WriteErrors, ReadErrors int64
	Writes                  int64 // successful writes, including those of probes
}

// Stats returns what has been counted so far.
func (s *Store) Stats() StoreStats {
	return StoreStats{s.writtenBytes.Load(), s.readBytes.Load(), s.writeErrors.Load(), s.readErrors.Load(), s.writes.Load()}
}

// errorRecorder counts the bytes that are read, and records the error of the reader.
type errorRecorder struct {
	io.Reader
	n   int64
	err error
}

func (r *errorRecorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// storeObject is an object whose errors are those of its store.
type storeObject struct {
	ctx   context.Context
	store *Store
	Object
}

func (o storeObject) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.Object.ReadAt(p, off)
	o.store.readBytes.Add(int64(n))
	if err != nil && err != io.EOF {
		o.store.readErrors.Add(1)
		err = newStoreError(o.ctx, err)
	}
	return n, err
}
