package storage

import (
	"context"
	"fmt"
	"io"
	"syscall"
)

// The default of the space that KeepFree leaves free is the smaller of the two.
const (
	defaultFreeBytes   = 1 << 30
	defaultFreePercent = 5
)

// checkedBytes is the number of bytes that are written between two checks of the space.
const checkedBytes = 1 << 20

// KeepFree returns a backend whose Put refuses to store objects, as on a full disk, while
// the file system has fewer than minFree bytes free, so that PostgreSQL on the same disk
// keeps working. 0 = no such limit; nil = 1 GiB or 5 % of the file system, whichever is
// less. It only applies to a directory.
func KeepFree(backend Backend, minFree *int64) Backend {
	d, ok := backend.(directory)
	if !ok || minFree != nil && *minFree == 0 {
		return backend
	}
	return reserve{d, minFree}
}

// reserve is a directory on a file system that must not become full.
type reserve struct {
	directory
	minFree *int64 // bytes; nil = the default
}

// Put implements Objects.
func (r reserve) Put(ctx context.Context, key string, content io.Reader) error {
	return r.directory.Put(ctx, key, &reserveReader{Reader: content, reserve: r})
}

// check returns an error if too little space is free. If the system does not report the
// space, it returns nil.
func (r reserve) check() error {
	free, total, err := diskSpace(string(r.directory))
	if err != nil {
		return nil
	}
	want := min(defaultFreeBytes, total/100*defaultFreePercent)
	if r.minFree != nil {
		want = uint64(*r.minFree)
	}
	if free < want {
		return fmt.Errorf("%d bytes are free, fewer than the %d of MIN_FREE_BYTES: %w", free, want, syscall.ENOSPC)
	}
	return nil
}

// reserveReader checks the space after the first read, so that an error of the content
// comes first, and then after every checkedBytes.
type reserveReader struct {
	io.Reader
	reserve reserve
	read    int64
	checkAt int64
}

func (r *reserveReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	if (err == nil || err == io.EOF) && r.read >= r.checkAt {
		r.checkAt = r.read + checkedBytes
		if err := r.reserve.check(); err != nil {
			return n, err
		}
	}
	return n, err
}
