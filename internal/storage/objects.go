package storage

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
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
func OpenObjects(location, dataDir string) (Objects, error) {
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

// directory is an object store in a directory. A file is written in tempDir
// and renamed once it is complete.
type directory struct{ root *os.Root }

const tempDir = ".unfinished"

// maxTempFileAge is the time since the last write after which a temporary file
// is considered abandoned.
const maxTempFileAge = time.Hour

func openDirectory(name string) (*directory, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	d := &directory{root}
	if err := d.removeStaleTempFiles(); err != nil {
		root.Close()
		return nil, fmt.Errorf("object store: %w", err)
	}
	return d, nil
}

// removeStaleTempFiles removes the temporary files of servers that died. It
// measures their age by the clock of the file system, which may be on another
// machine.
func (d *directory) removeStaleTempFiles() error {
	if err := d.root.MkdirAll(tempDir, 0o700); err != nil {
		return err
	}
	probe := path.Join(tempDir, rand.Text())
	if err := d.root.WriteFile(probe, nil, 0o600); err != nil {
		return err
	}
	defer d.root.Remove(probe)
	now, err := d.root.Stat(probe)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(d.root.FS(), tempDir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && now.ModTime().Sub(info.ModTime()) > maxTempFileAge {
			d.root.Remove(path.Join(tempDir, entry.Name()))
		}
	}
	return nil
}

// checkKey rejects keys that lead out of the store or into tempDir.
func checkKey(key string) error {
	if !fs.ValidPath(key) || key == "." || strings.ContainsAny(key, "\\\x00") ||
		strings.HasPrefix(key, ".") || strings.Contains(key, "/.") {
		return fmt.Errorf("invalid object key %q", key)
	}
	return nil
}

func (d *directory) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := d.writeAndRename(ctx, key, r); err != nil {
		return fmt.Errorf("put object: %w", err)
	}
	return nil
}

func (d *directory) writeAndRename(ctx context.Context, key string, r io.Reader) error {
	name := path.Join(tempDir, rand.Text())
	if err := d.writeTempFile(ctx, name, r); err != nil {
		d.root.Remove(name)
		return err
	}
	if err := d.rename(name, key); err != nil {
		d.root.Remove(name)
		return err
	}
	// Sync every parent: one of them may have been created by a concurrent
	// upload that has not synced it yet.
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		if err := d.syncDir(dir); err != nil {
			d.root.Remove(key)
			return err
		}
		if dir == "." {
			return nil
		}
	}
}

// rename moves a temporary file to its key, whose directory it creates. The deletion of
// another object can remove the directory while it is still empty, so rename retries.
func (d *directory) rename(name, key string) (err error) {
	for range 100 {
		if err = d.root.MkdirAll(path.Dir(key), 0o700); err == nil {
			err = d.root.Rename(name, key)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) { // MkdirAll returns the latter if it loses a race
			return err
		}
	}
	return err
}

// removeEmptyDirs removes the directory and the directories around it that are empty then,
// and makes that durable.
func (d *directory) removeEmptyDirs(dir string) error {
	for dir != "." && d.root.Remove(dir) == nil { // it fails if the directory is not empty
		dir = path.Dir(dir)
	}
	err := d.syncDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another deletion has removed it
	}
	return err
}

// writeTempFile creates the named file with the content of r and syncs it.
func (d *directory) writeTempFile(ctx context.Context, name string, r io.Reader) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	// Hide the file's ReadFrom method, which would copy in small chunks.
	w := bufio.NewWriterSize(struct{ io.Writer }{f}, 256<<10)
	if _, err := w.ReadFrom(contextReader{ctx, r}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// syncDir makes the directory's entries durable.
func (d *directory) syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync a directory and does not need it
	}
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (d *directory) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := d.root.Open(key)
	if err != nil {
		return nil, fmt.Errorf("open object: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open object: %w", err)
	}
	return fileObject{f, info.Size()}, nil
}

func (d *directory) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := d.root.Remove(key)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = d.removeEmptyDirs(path.Dir(key))
	}
	if err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	return nil
}

type fileObject struct {
	*os.File
	size int64
}

func (f fileObject) Size() int64 { return f.size }

// contextReader stops reading when the context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
