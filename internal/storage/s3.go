package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// s3Store is an object store in a bucket of an S3-compatible server.
type s3Store struct {
	s3Location
	client  *s3.Client
	uploads *transfermanager.Client
}

// s3PartSize is the size in bytes of the parts of an object that is larger, and the
// smallest that S3 allows.
const s3PartSize = 5 << 20

// s3UploadMemory is the memory in bytes for the upload of an object that has several parts:
// one part is read while another one is sent, and the first part has a buffer of its own.
// The upload of a smaller object uses up to twice its size.
const s3UploadMemory = 16 << 20

// s3AbortTimeout limits the time for removing the parts of an upload that has failed.
const s3AbortTimeout = 5 * time.Second

func openS3(u *url.URL) (*s3Store, error) {
	location, err := parseS3Location(u)
	if err != nil {
		return nil, err
	}
	client, err := newS3Client(location)
	if err != nil {
		return nil, err
	}
	return &s3Store{location, client, transfermanager.New(client, func(o *transfermanager.Options) {
		o.PartSizeBytes, o.MultipartUploadThreshold, o.Concurrency = s3PartSize, s3PartSize, 1
		o.FailTimeout = s3AbortTimeout
		o.RequestChecksumCalculation = client.Options().RequestChecksumCalculation
	})}, nil
}

// object returns the name of the bucket and the key in it, as inputs of calls need them.
func (s *s3Store) object(key string) (bucket, fullKey *string) {
	fullKey = new(string)
	*fullKey = s.root + key
	return &s.bucket, fullKey
}

// Put implements Objects.
func (s *s3Store) Put(ctx context.Context, key string, r io.Reader) error {
	return s.upload(ctx, key, r, nil)
}

// Create implements Backend.
func (s *s3Store) Create(ctx context.Context, key string, r io.Reader) error {
	anyVersion := "*"
	err := s.upload(ctx, key, r, &anyVersion)
	switch s3ErrorCode(err) {
	case "PreconditionFailed", "ConditionalRequestConflict": // the object exists, or another call creates it
		return fmt.Errorf("create object: %w", fs.ErrExist)
	}
	return err
}

// upload stores an object. ifNoneMatch is "*" if there must be none with the key.
func (s *s3Store) upload(ctx context.Context, key string, r io.Reader, ifNoneMatch *string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	source := &errorRecorder{Reader: contextReader{ctx, r}}
	bucket, fullKey := s.object(key)
	err := s.uploadObject(ctx, &transfermanager.UploadObjectInput{Bucket: bucket, Key: fullKey, Body: source, IfNoneMatch: ifNoneMatch})
	if source.err != nil {
		return fmt.Errorf("put object: %w", source.err)
	}
	return s.failure(ctx, "put object", err)
}

// uploadObject calls UploadObject, which panics if the store responds to the start of a
// multipart upload without its id.
func (s *s3Store) uploadObject(ctx context.Context, input *transfermanager.UploadObjectInput) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the store's response is malformed: %v", cause)
		}
	}()
	_, err = s.uploads.UploadObject(ctx, input)
	return err
}

// Delete implements Objects.
func (s *s3Store) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	bucket, fullKey := s.object(key)
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: fullKey})
	err = s.failure(ctx, "delete object", err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements Backend.
func (s *s3Store) List(ctx context.Context, prefix string, visit func(Entry) error) error {
	bucket, fullPrefix := s.object(prefix)
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: fullPrefix}, func(o *s3.ListObjectsV2PaginatorOptions) {
		o.StopOnDuplicateToken = true // else a store that repeats a page would be listed without end
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s.failure(ctx, "list objects", err)
		}
		for _, object := range page.Contents {
			key, found := strings.CutPrefix(deref(object.Key), s.root)
			if !found || !isListed(key) {
				continue
			}
			if err := visit(Entry{key, deref(object.Size), deref(object.LastModified)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveIncomplete implements Backend: it aborts multipart uploads.
func (s *s3Store) RemoveIncomplete(ctx context.Context, before time.Time, ours func(key string) bool) (removed int, err error) {
	bucket, root := s.object("")
	pages := s3.NewListMultipartUploadsPaginator(s.client, &s3.ListMultipartUploadsInput{Bucket: bucket, Prefix: root})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return removed, s.failure(ctx, "list unfinished uploads", err)
		}
		for _, upload := range page.Uploads {
			key, found := strings.CutPrefix(deref(upload.Key), s.root)
			if !found || !ours(key) || !deref(upload.Initiated).Before(before) {
				continue
			}
			_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: bucket, Key: upload.Key, UploadId: upload.UploadId})
			switch {
			case err == nil:
				removed++
			case s3ErrorCode(err) != "NoSuchUpload": // it has ended in the meantime
				return removed, s.failure(ctx, "abort unfinished upload", err)
			}
		}
	}
	return removed, nil
}

// deref returns the value of a field of a response, or the zero value if it is absent.
func deref[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}

// PutMemory implements Backend.
func (*s3Store) PutMemory(size int64) int64 { return min(2*size, s3UploadMemory) }

// IsFileSystem implements Backend. Every call has a timeout.
func (*s3Store) IsFileSystem() bool { return false }
