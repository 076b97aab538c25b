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
	// machine. If Put returns an error, nothing read from r is stored.
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
	// List calls visit for every object whose key starts with prefix, in any order,
	// except those that the store needs itself (the marker and the probe). Objects
	// that are stored or deleted meanwhile may be visited or not. An error of visit
	// ends List, which returns it.
	List(ctx context.Context, prefix string, visit func(Entry) error) error
	// RemoveIncomplete removes what calls of Put and Create that began before a time,
	// and were interrupted, have left behind. It returns how many it removed.
	RemoveIncomplete(ctx context.Context, before time.Time) (int, error)
}

// Entry describes an object.
type Entry struct {
	Key     string
	Size    int64     // bytes
	ModTime time.Time // when it was stored, by the clock of the store
}

// Object is an open object. Its content does not change, even if the object is
// replaced or deleted while it is open.
type Object interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// OpenObjects opens the object store at location, which is a directory in the
// form file:///path, or "" for the directory "objects" in dataDir. Several
// servers can share a directory.
func OpenObjects(location, dataDir string) (Backend, error) {
	if location == "" {
		return openDirectory(filepath.Join(dataDir, "objects"))
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("object store: location is not a URL; use file:///path")
	}
	switch {
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && path.IsAbs(u.Path):
		return openDirectory(filepath.FromSlash(u.Path))
	case u.Scheme == "s3":
		return nil, errors.New("object store: s3:// is not supported yet; use file:///path")
	}
	return nil, fmt.Errorf("object store: %q is not of the form file:///path", u.Redacted())
}
