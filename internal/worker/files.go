package worker

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"understudy.example/internal/extract"
)

// File is a file that was extracted.
type File struct {
	Path       string
	Extraction *extract.Extraction
	Err        error // why it could not be extracted
	Duration   time.Duration
}

// ListFiles returns the paths, with directories replaced by the regular files in
// and below them in the order of their names; hidden ones are skipped. A path
// that does not exist is kept, for ExtractFiles to report.
func ListFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(inside string, entry fs.DirEntry, err error) error {
			hidden := inside != path && strings.HasPrefix(entry.Name(), ".")
			switch {
			case err != nil:
				return err
			case hidden && entry.IsDir():
				return fs.SkipDir
			case !hidden && entry.Type().IsRegular():
				files = append(files, inside)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no files found")
	}
	return files, nil
}

// ExtractFiles extracts the files, several at a time, and yields them in their
// order. It stops when ctx ends.
func (p *Pool) ExtractFiles(ctx context.Context, paths []string) iter.Seq[File] {
	return func(yield func(File) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		results := make([]chan File, len(paths))
		for i := range results {
			results[i] = make(chan File, 1)
		}
		next := make(chan int)
		go func() {
			defer close(next)
			for i := range paths {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		}()
		for range min(runtime.NumCPU(), len(paths)) {
			go func() {
				for i := range next {
					results[i] <- p.extractFile(ctx, paths[i])
				}
			}()
		}
		for _, result := range results {
			select {
			case file := <-result:
				if !yield(file) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// localFiles is the tenant of the files that ExtractFiles extracts.
const localFiles = "local files"

func (p *Pool) extractFile(ctx context.Context, path string) File {
	begun := time.Now()
	extraction, err := p.openAndExtract(ctx, path)
	return File{path, extraction, err, time.Since(begun)}
}

func (p *Pool) openAndExtract(ctx context.Context, path string) (*extract.Extraction, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	name, document := filepath.Base(path), sizedFile{file, info.Size()}
	extraction, err := p.Extract(ctx, localFiles, name, document)
	for crashes := 1; ; crashes++ {
		crash, crashed := errors.AsType[*Crash](err)
		if !crashed {
			return extraction, err
		}
		slog.WarnContext(ctx, "worker process crashed", "filename", path, "crashes", crashes, "exit", crash.Exit, "stderr", crash.Stderr)
		if crashes == MaxCrashes {
			return nil, ErrCrashes
		}
		extraction, err = p.ExtractFresh(ctx, localFiles, name, document)
	}
}

// sizedFile is an open file that knows its size.
type sizedFile struct {
	*os.File
	size int64
}

// Size returns the size in bytes.
func (f sizedFile) Size() int64 { return f.size }
