package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"time"
)

// Objects is a store of uploaded files. An object is stored completely or not
// at all. A key is a slash-separated path of names that do not start with a
// dot, such as acme/1f0c/2b7d.
type Objects interface {
	// Put reads r to its end and stores the content under key, replacing any
	// previous object. Once Put returns nil, the object survives a crash of the
	// machine. If r or ctx is the cause of an error, nothing read from r is stored. If
	// the store is the cause, the object may have been stored although the store did not
	// say so.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open opens the object. The error is fs.ErrNotExist if there is none.
	Open(ctx context.Context, key string) (Object, error)
	// Delete removes the object. It returns nil if there is none.
	Delete(ctx context.Context, key string) error
}

// Backend stores the objects of a Store.
type Backend interface {
	Objects
	// Create is like Put, but never replaces an object: the error is fs.ErrExist if
	// there is one. Of several simultaneous calls, one succeeds.
	Create(ctx context.Context, key string, r io.Reader) error
	// List calls visit for every object whose key starts with prefix, in any order. It
	// leaves out the marker, probes and unfinished writes. It stops at the first error
	// of visit and returns it.
	List(ctx context.Context, prefix string, visit func(Entry) error) error
	// RemoveIncomplete removes what writes have left behind that were interrupted and
	// began before that time, such as temporary files. It returns their number. Where
	// other programs write too, it only removes writes of keys for which ours is true.
	RemoveIncomplete(ctx context.Context, before time.Time, ours func(key string) bool) (int, error)
	// PutMemory returns approximately the memory in bytes that Put uses for an object of
	// the given size, without small buffers.
	PutMemory(size int64) int64
	// IsFileSystem reports whether the objects are files. File system calls can hang forever,
	// whatever their context says. A file that a file system does not find is missing, whereas S3
	// can respond 404 by mistake.
	IsFileSystem() bool
}

// Entry is an object in a list.
type Entry struct {
	Key     string
	Size    int64 // bytes
	ModTime time.Time
}

// Object is an open object. Its content does not change: if the object is replaced or
// deleted while it is open, reads return the earlier content or an error.
type Object interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// OpenObjects opens the object store at location, which is a directory in the form
// file:///path, a bucket of an S3-compatible server in the form s3://bucket/prefix, or ""
// for the directory "objects" in dataDir. Several servers can share a store. OpenObjects
// does not connect to the server.
func OpenObjects(location, dataDir string) (Backend, error) {
	backend, err := FindObjects(location, dataDir)
	if d, ok := backend.(directory); ok && err == nil {
		err = d.prepare()
	}
	return backend, err
}

// FindObjects returns the object store at location, as OpenObjects does, but changes
// nothing: a directory may not exist, and must not be written to.
func FindObjects(location, dataDir string) (Backend, error) {
	if location == "" {
		return directoryAt(filepath.Join(dataDir, "objects"))
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("object store: location is not a URL; use file:///path or s3://bucket/prefix")
	}
	switch {
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && path.IsAbs(u.Path):
		return directoryAt(filepath.FromSlash(u.Path))
	case u.Scheme == "s3":
		store, err := openS3(u)
		if err != nil {
			return nil, fmt.Errorf("object store s3://%s: %w", u.Host, err)
		}
		return store, nil
	}
	return nil, fmt.Errorf("object store: %q is not of the form file:///path or s3://bucket/prefix", u.Redacted())
}
