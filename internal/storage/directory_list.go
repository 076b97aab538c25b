package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// List implements Backend. It skips files whose names no key can have.
func (d directory) List(ctx context.Context, prefix string, visit func(Entry) error) error {
	err := d.within(func(root *os.Root) error {
		return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist) && name != ".": // deleted meanwhile
				return nil
			case err != nil:
				return err
			case name == ".":
				return nil
			case entry.IsDir():
				outside := !strings.HasPrefix(name, prefix) && !strings.HasPrefix(prefix, name+"/")
				if checkKey(name) != nil || outside {
					return fs.SkipDir
				}
				return nil
			case checkKey(name) != nil, name == markerKey, name == probeKey, !strings.HasPrefix(name, prefix), !entry.Type().IsRegular():
				return nil
			}
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			return visit(Entry{Key: name, Size: info.Size(), ModTime: info.ModTime()})
		})
	})
	if err != nil {
		return fmt.Errorf("list objects: %w", err)
	}
	return nil
}

// RemoveIncomplete implements Backend.
func (d directory) RemoveIncomplete(_ context.Context, before time.Time) (removed int, err error) {
	err = d.within(func(root *os.Root) (err error) {
		removed, err = removeTempFiles(root, before)
		return err
	})
	if err != nil {
		return removed, fmt.Errorf("remove unfinished objects: %w", err)
	}
	return removed, nil
}
