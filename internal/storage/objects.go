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

// Objects keeps uploaded files: whole or absent. A key is a slash-separated
// path of plain names, like acme/1f0c/2b7d.
type Objects interface {
	// Put keeps what r gives under the key, in place of what was there. Once
	// it returns nil the object outlives a crash of the machine; on an error
	// nothing of r is kept.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns the object; fs.ErrNotExist when there is none.
	Open(ctx context.Context, key string) (Object, error)
	// Delete removes the object if there is one.
	Delete(ctx context.Context, key string) error
}

// Object is an open object; what it reads does not change, even when its key
// is replaced or deleted meanwhile.
type Object interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// OpenObjects returns the store at location: file:///path is a directory, ""
// the directory objects in dataDir. Several servers may share a directory.
func OpenObjects(location, dataDir string) (Objects, error) {
	if location == "" {
		return openDirectory(filepath.Join(dataDir, "objects"))
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, errors.New("object store: not a URL; use file:///path")
	}
	switch {
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && path.IsAbs(u.Path):
		return openDirectory(filepath.FromSlash(u.Path))
	case u.Scheme == "s3":
		return nil, errors.New("object store: s3:// is not supported yet; use file:///path")
	}
	return nil, fmt.Errorf("object store: %q is not of the form file:///path", u.Redacted())
}

// directory is an object store in a directory. A file is written under
// unfinished and renamed when it is whole.
type directory struct{ root *os.Root }

const unfinished = ".unfinished"

// stale is how long after its last write an unfinished file has no writer.
const stale = time.Hour

func openDirectory(name string) (*directory, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	d := &directory{root}
	if err := d.sweep(); err != nil {
		root.Close()
		return nil, fmt.Errorf("object store: %w", err)
	}
	return d, nil
}

// sweep removes what servers that died left unfinished. Ages are measured by
// the file system's clock, which may be another machine's.
func (d *directory) sweep() error {
	if err := d.root.MkdirAll(unfinished, 0o700); err != nil {
		return err
	}
	probe := path.Join(unfinished, rand.Text())
	if err := d.root.WriteFile(probe, nil, 0o600); err != nil {
		return err
	}
	defer d.root.Remove(probe)
	now, err := d.root.Stat(probe)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(d.root.FS(), unfinished)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && now.ModTime().Sub(info.ModTime()) > stale {
			d.root.Remove(path.Join(unfinished, entry.Name()))
		}
	}
	return nil
}

// checkKey refuses keys that would leave the store or meet our own files.
func checkKey(key string) error {
	if !fs.ValidPath(key) || key == "." || strings.ContainsAny(key, "\\\x00") ||
		strings.HasPrefix(key, ".") || strings.Contains(key, "/.") {
		return fmt.Errorf("object key %q is not a path of plain names", key)
	}
	return nil
}

func (d *directory) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := d.put(ctx, key, r); err != nil {
		return fmt.Errorf("put object: %w", err)
	}
	return nil
}

func (d *directory) put(ctx context.Context, key string, r io.Reader) error {
	name := path.Join(unfinished, rand.Text())
	if err := d.write(ctx, name, r); err != nil {
		d.root.Remove(name)
		return err
	}
	if err := d.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		d.root.Remove(name)
		return err
	}
	if err := d.root.Rename(name, key); err != nil {
		d.root.Remove(name)
		return err
	}
	// All the way up: another upload may have made a folder and not come to
	// this yet.
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		if err := d.sync(dir); err != nil {
			d.root.Remove(key)
			return err
		}
		if dir == "." {
			return nil
		}
	}
}

// write makes a file that is whole on disk.
func (d *directory) write(ctx context.Context, name string, r io.Reader) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	// A bare Writer: the file's own ReadFrom would copy in small pieces.
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

// sync makes the names in a folder durable.
func (d *directory) sync(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // has no such call, and keeps names safe by itself
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
	return file{f, info.Size()}, nil
}

func (d *directory) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := d.root.Remove(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.sync(path.Dir(key))
	}
	if err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	return nil
}

type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

// contextReader stops reading when the context ends.
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
