package storage

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// directory is an object store in the directory with that path. A file is written in
// tempDir and renamed once it is complete. Each call opens the directory again, because
// another one can be mounted or moved there while the server runs.
type directory string

const tempDir = ".unfinished"

// maxTempFileAge is the time since the last write after which a temporary file
// is considered abandoned.
const maxTempFileAge = time.Hour

func directoryAt(name string) (directory, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("object store: %w", err)
	}
	return directory(name), nil
}

// prepare creates the directory if it does not exist, and removes stale temporary files.
func (d directory) prepare() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("object store: %w", err)
	}
	if err := d.within(removeStaleTempFiles); err != nil {
		slog.Warn("unfinished files could not be removed from the object store", "err", err)
	}
	return nil
}

// within calls do with the directory.
func (d directory) within(do func(*os.Root) error) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

var errInvalidKey = errors.New("invalid object key")

// checkKey rejects keys that lead out of the store or into tempDir.
func checkKey(key string) error {
	if !fs.ValidPath(key) || key == "." || strings.ContainsAny(key, "\\\x00") ||
		strings.HasPrefix(key, ".") || strings.Contains(key, "/.") {
		return fmt.Errorf("%w %q", errInvalidKey, key)
	}
	return nil
}

func (d directory) Put(ctx context.Context, key string, r io.Reader) error {
	return d.store(ctx, key, r, (*os.Root).Rename)
}

func (d directory) Create(ctx context.Context, key string, r io.Reader) error {
	return d.store(ctx, key, r, func(root *os.Root, temp, key string) error {
		err := root.Link(temp, key)
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
			if _, err := root.Stat(key); err == nil {
				return fs.ErrExist
			}
			return root.Rename(temp, key)
		}
		return errors.Join(err, root.Remove(temp))
	})
}

// store writes a temporary file and calls move to rename it to the key.
func (d directory) store(ctx context.Context, key string, r io.Reader, move func(root *os.Root, temp, key string) error) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := d.within(func(root *os.Root) error {
		temp := path.Join(tempDir, rand.Text())
		err := writeTempFile(ctx, root, temp, r)
		if err == nil {
			err = moveToKey(root, temp, key, move)
		}
		if err != nil {
			root.Remove(temp)
			return err
		}
		if err := syncParents(root, key); err != nil {
			root.Remove(key)
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put object: %w", err)
	}
	return nil
}

// moveToKey moves a temporary file to its key, whose directory it creates if it does not
// exist. The deletion of another object can remove the directory while it is still empty,
// so moveToKey retries.
func moveToKey(root *os.Root, temp, key string, move func(root *os.Root, temp, key string) error) (err error) {
	for range 100 {
		if err = move(root, temp, key); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err := root.MkdirAll(path.Dir(key), 0o700)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) { // ErrExist: another call created the directory at the same time
			return err
		}
	}
	return err
}

// removeEmptyDirs removes the directory and the directories around it that are empty then,
// and makes that durable.
func removeEmptyDirs(root *os.Root, dir string) error {
	for dir != "." && root.Remove(dir) == nil { // it fails if the directory is not empty
		dir = path.Dir(dir)
	}
	err := syncDir(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another deletion has removed it
	}
	return err
}

// syncParents makes the entry of the key durable. It syncs every parent: one of them
// may have been created by a concurrent upload that has not synced it yet.
func syncParents(root *os.Root, key string) error {
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		if err := syncDir(root, dir); err != nil || dir == "." {
			return err
		}
	}
}

// writeBuffers are the buffers of objects that are being written. A client can write many
// objects slowly, so the buffers are small. Larger buffers are hardly faster.
var writeBuffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

// writeTempFile creates the named file with the content of r and syncs it.
func writeTempFile(ctx context.Context, root *os.Root, name string, r io.Reader) error {
	const create = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := root.OpenFile(name, create, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.MkdirAll(tempDir, 0o700); err != nil {
			return err
		}
		f, err = root.OpenFile(name, create, 0o600)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w := writeBuffers.Get().(*bufio.Writer)
	defer writeBuffers.Put(w)
	// Hide the file's ReadFrom method, which would copy in small chunks.
	w.Reset(struct{ io.Writer }{f})
	defer w.Reset(nil)
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
func syncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync a directory and does not need it
	}
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (d directory) Open(ctx context.Context, key string) (object Object, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = d.within(func(root *os.Root) error {
		f, err := root.Open(key)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
		}
		if err != nil {
			f.Close()
			return err
		}
		object = fileObject{f, info.Size()}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open object: %w", err)
	}
	return object, nil
}

func (d directory) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := d.within(func(root *os.Root) error {
		err := root.Remove(key)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = removeEmptyDirs(root, path.Dir(key))
		}
		return err
	})
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
