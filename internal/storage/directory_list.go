package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

func (d directory) List(ctx context.Context, prefix string, visit func(Entry) error) error {
	var stopped error
	err := d.within(func(root *os.Root) error {
		return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, fs.ErrNotExist) && name != "." {
				return nil // deleted in the meantime
			}
			if err != nil {
				return err
			}
			if entry.IsDir() {
				below := strings.HasPrefix(name+"/", prefix) || strings.HasPrefix(prefix, name+"/")
				if name != "." && (checkKey(name) != nil || !below) {
					return fs.SkipDir
				}
				return nil
			}
			if !strings.HasPrefix(name, prefix) || !isListed(name) || !entry.Type().IsRegular() {
				return nil
			}
			info, err := entry.Info()
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			stopped = visit(Entry{name, info.Size(), info.ModTime()})
			return stopped
		})
	})
	if err != nil && stopped == nil {
		return fmt.Errorf("list objects: %w", err)
	}
	return stopped
}

// isListed reports whether the key is that of an object that Backend.List lists.
func isListed(key string) bool {
	return checkKey(key) == nil && key != markerKey && key != probeKey
}

func (d directory) RemoveIncomplete(ctx context.Context, before time.Time, _ func(key string) bool) (removed int, err error) {
	err = d.within(func(root *os.Root) error {
		removed, err = removeTempFiles(root, before)
		return err
	})
	if err != nil {
		return removed, fmt.Errorf("remove unfinished objects: %w", err)
	}
	return removed, nil
}

// removeStaleTempFiles removes the temporary files of servers that died. It
// measures their age by the clock of the file system, which may be on another
// machine.
func removeStaleTempFiles(root *os.Root) error {
	if err := root.MkdirAll(tempDir, 0o700); err != nil {
		return err
	}
	probe := path.Join(tempDir, rand.Text())
	if err := root.WriteFile(probe, nil, 0o600); err != nil {
		return err
	}
	defer root.Remove(probe)
	now, err := root.Stat(probe)
	if err != nil {
		return err
	}
	_, err = removeTempFiles(root, now.ModTime().Add(-maxTempFileAge))
	return err
}

// removeTempFiles removes the temporary files last written before that time, and
// returns their number.
func removeTempFiles(root *os.Root, before time.Time) (removed int, err error) {
	entries, err := fs.ReadDir(root.FS(), tempDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(before) && root.Remove(path.Join(tempDir, entry.Name())) == nil {
			removed++
		}
	}
	return removed, nil
}

// PutMemory implements Backend.
func (directory) PutMemory(int64) int64 { return 0 }

// IsFileSystem implements Backend.
func (directory) IsFileSystem() bool { return true }
