package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// s3FirstRead is the number of bytes that Open reads, so that a small object needs a
// single call.
const s3FirstRead = 64 << 10

// maxBroken is the number of connections that may break during a read.
const maxBroken = 10

// s3Object is an open object. Each read at another place is a call to S3. A read fails
// if the object has been replaced or deleted since it was opened.
type s3Object struct {
	ctx   context.Context // of Open
	store *s3Store
	key   string
	s3Version
	first []byte // the beginning of the content
}

// s3Version is a version of the content of an object.
type s3Version struct {
	etag string
	size int64 // bytes
}

// Open implements Objects. The context also limits later reads.
func (s *s3Store) Open(ctx context.Context, key string) (Object, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	first := make([]byte, s3FirstRead)
	n, version, err := s.readRange(ctx, key, "", first, 0)
	if s3ErrorCode(err) == "InvalidRange" { // the object is empty
		err = nil
	}
	if err != nil {
		return nil, s.failure(ctx, "open object", err)
	}
	return &s3Object{ctx, s, key, version, first[:n]}, nil
}

// readRange reads from the object at the offset until p is full or the object ends, and
// returns the version that it has read. It returns an error if etag is not empty and is
// not that of the object, or if the response is not the requested range. It may return
// bytes together with an error.
func (s *s3Store) readRange(parent context.Context, key, etag string, p []byte, off int64) (n int, version s3Version, err error) {
	ctx, cancel := context.WithTimeout(parent, s3TransferTimeout)
	defer cancel()
	bucket, fullKey := s.object(key)
	byteRange := fmt.Sprintf("bytes=%d-%d", off, off+int64(len(p))-1)
	input := &s3.GetObjectInput{Bucket: bucket, Key: fullKey, Range: &byteRange}
	if etag != "" {
		input.IfMatch = &etag
	}
	output, err := s.client.GetObject(ctx, input)
	if err != nil {
		return 0, s3Version{}, timedOut(parent, ctx, s3TransferTimeout, err)
	}
	defer output.Body.Close()
	version = s3Version{deref(output.ETag), deref(output.ContentLength)}
	got := int64(0) // the offset of the response
	if sent := deref(output.ContentRange); sent != "" {
		if _, err := fmt.Sscanf(sent, "bytes %d-", &got); err != nil {
			return 0, s3Version{}, fmt.Errorf("malformed Content-Range %q", sent)
		}
		_, total, _ := strings.Cut(sent, "/")
		if version.size, err = strconv.ParseInt(total, 10, 64); err != nil {
			return 0, s3Version{}, fmt.Errorf("malformed Content-Range %q", sent)
		}
	}
	if got != off || etag != "" && version.etag != etag {
		return 0, s3Version{}, fmt.Errorf("response with version %q from byte %d, want version %q from byte %d", version.etag, got, etag, off)
	}
	p = p[:min(int64(len(p)), max(version.size-off, 0))]
	n, err = io.ReadFull(output.Body, p)
	return n, version, timedOut(parent, ctx, s3TransferTimeout, err)
}

// ReadAt implements io.ReaderAt.
func (o *s3Object) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("read object: negative offset")
	}
	wanted := p[:min(int64(len(p)), max(o.size-off, 0))]
	if off < int64(len(o.first)) {
		n = copy(wanted, o.first[off:])
	}
	for broken := 0; n < len(wanted); broken++ {
		read, _, err := o.store.readRange(o.ctx, o.key, o.etag, wanted[n:], off+int64(n))
		n += read
		if n < len(wanted) && (read == 0 || broken == maxBroken) { // otherwise the connection broke: continue there
			return n, o.store.failure(o.ctx, "read object", cmp.Or(err, io.ErrUnexpectedEOF))
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size implements Object.
func (o *s3Object) Size() int64 { return o.size }

// Close implements Object.
func (o *s3Object) Close() error { return nil }
