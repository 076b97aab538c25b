package universal_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// uploadLimits is an option that sets the limits on uploads in progress. The memory of
// each tenant is enough for one upload of storeMemory bytes.
func uploadLimits(total, perTenant, perSubmission int, wait time.Duration) func(*servertest.Options) {
	return func(o *servertest.Options) {
		o.Uploads = universal.UploadLimits{
			Total: total, PerTenant: perTenant, PerSubmission: perSubmission,
			Memory: 4 * storeMemory, TenantMemory: storeMemory, Wait: wait,
		}
	}
}

// startUploads announces a file, and starts n uploads of it.
func startUploads(s *servertest.Server, tenant *servertest.Tenant, n int) (uploadURL string, started []startedUpload) {
	s.T.Helper()
	_, uploadURL = tenant.Announce("a.txt")
	for range n {
		started = append(started, startUpload(s, tenant, "PUT "+strings.TrimPrefix(uploadURL, s.URL)))
	}
	return uploadURL, started
}

// uploadNew announces another file and uploads it.
func uploadNew(tenant *servertest.Tenant, content []byte) servertest.Response {
	tenant.T.Helper()
	_, uploadURL := tenant.Announce("b.txt")
	return tenant.Upload(uploadURL, "b.txt", content)
}

// refusedAsBusy checks the response to an upload beyond a limit.
func refusedAsBusy(t *testing.T, response servertest.Response, hint string) {
	t.Helper()
	response.Want(t, http.StatusServiceUnavailable, `{"message":"Service Unavailable"}`)
	if got := response.Header.Get("X-Understudy-Hint"); !strings.HasPrefix(got, hint) || response.Header.Get("Retry-After") != "1" {
		t.Errorf("hint %q, Retry-After %q; want %q and 1", got, response.Header.Get("Retry-After"), hint)
	}
}

// TestUploadsInProgressAreLimited starts uploads up to each limit. Uploads beyond it are
// refused, those of another tenant and other calls are not.
func TestUploadsInProgressAreLimited(t *testing.T) {
	servertest.Proves(t, "Chosen, process: uploads in progress are limited, per submission, per tenant and in all: 503 with Retry-After")
	s := servertest.New(t, uploadLimits(5, 3, 2, 20*time.Millisecond))
	first, second, third := s.NewTenant(`{}`), s.NewTenant(`{}`), s.NewTenant(`{}`)
	uploadURL, started := startUploads(s, first, 2)
	refusedAsBusy(t, s.Upload(uploadURL, "a.txt", servertest.Letter), "2 uploads of this transaction are in progress")
	uploadNew(first, servertest.Letter).Want(t, http.StatusOK)
	startUploads(s, first, 1)
	for range 2 { // a refused upload has left nothing that counts
		refusedAsBusy(t, uploadNew(first, servertest.Letter), "3 uploads of the tenant are in progress")
	}
	refusedAsBusy(t, first.SubmitDirectly("v3", "a.txt", servertest.Letter), "3 uploads of the tenant are in progress")
	first.Announce("c.txt")

	startUploads(s, second, 1)
	uploadNew(second, servertest.Letter).Want(t, http.StatusOK)
	startUploads(s, second, 1)
	refusedAsBusy(t, uploadNew(third, servertest.Letter), "the server has 5 uploads in progress")

	if status := started[0].finish(t); status != http.StatusOK {
		t.Errorf("upload in progress: status %d, want 200", status)
	}
	uploadNew(third, servertest.Letter).Want(t, http.StatusOK)
	started[1].connection.Close()
	startUploads(s, third, 1)
	servertest.Until(t, "the interrupted upload has ended", func() bool { return uploadNew(third, servertest.Letter).Status == http.StatusOK })
}

// TestUploadsWaitForOthers sends more uploads at a time than may be in progress: those
// beyond the limit wait, and all succeed.
func TestUploadsWaitForOthers(t *testing.T) {
	s := servertest.New(t, uploadLimits(3, 2, 1, 2*time.Minute))
	tenant := s.NewTenant(`{}`)
	_, started := startUploads(s, tenant, 1)
	responses := make(chan servertest.Response)
	const count = 50
	for range count {
		go func() { responses <- tenant.SubmitDirectly("v3", "b.txt", servertest.Letter) }()
	}
	for range count {
		(<-responses).Want(t, http.StatusOK)
	}
	if status := started[0].finish(t); status != http.StatusOK {
		t.Errorf("upload in progress: status %d, want 200", status)
	}
}

const storeMemory = 1 << 20 // bytes that heavyStore uses for an upload

// heavyStore is an object store that uses much memory for an upload, as S3 does.
type heavyStore struct{ storage.Backend }

func (heavyStore) PutMemory(int64) int64 { return storeMemory }

// TestMemoryOfUploadsIsLimited starts an upload that uses all memory of its tenant:
// another one is refused, but not one of another tenant.
func TestMemoryOfUploadsIsLimited(t *testing.T) {
	s := servertest.New(t, uploadLimits(9, 9, 9, 20*time.Millisecond), func(o *servertest.Options) { o.Objects.Backend = heavyStore{o.Objects.Backend} })
	tenant, other := s.NewTenant(`{}`), s.NewTenant(`{}`)
	_, started := startUploads(s, tenant, 1)
	refusedAsBusy(t, uploadNew(tenant, servertest.Letter), "the uploads in progress use all memory")
	uploadNew(other, servertest.Letter).Want(t, http.StatusOK)
	if status := started[0].finish(t); status != http.StatusOK {
		t.Errorf("upload in progress: status %d, want 200", status)
	}
	uploadNew(tenant, servertest.Letter).Want(t, http.StatusOK)
}

// sendPart sends the next bytes of the upload, without its end, and waits until the server
// has written most of what was sent.
func (u *startedUpload) sendPart(s *servertest.Server, size int) {
	s.T.Helper()
	if _, err := io.WriteString(u.connection, u.body[:size]); err != nil {
		s.T.Fatal(err)
	}
	u.body = u.body[size:]
	servertest.Until(s.T, fmt.Sprintf("%d bytes are written", size), func() bool {
		unfinished, err := filepath.Glob(filepath.Join(s.Files, "objects", ".unfinished", "*"))
		for _, name := range unfinished {
			if info, err := os.Stat(name); err == nil && info.Size() >= int64(size-100_000) {
				return true
			}
		}
		return err != nil
	})
}

// TestUnfinishedUploadsCountTowardsTheQuota checks that files that arrive at the same time
// do not exceed max_stored_bytes together, whether the others are complete or not.
func TestUnfinishedUploadsCountTowardsTheQuota(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, settings: max_submissions, max_stored_bytes and max_upload_bytes")
	s := servertest.New(t)
	tenant, other := s.NewTenant(`{"max_stored_bytes":900000}`), s.NewTenant(`{"max_stored_bytes":900000}`)
	file := func(size int) []byte { return bytes.Repeat([]byte("a"), size) }
	start := func() startedUpload {
		_, uploadURL := tenant.Announce("a.txt")
		return startUploadOf(s, tenant, "PUT "+strings.TrimPrefix(uploadURL, s.URL), file(800_000))
	}
	interrupted := start()
	interrupted.sendPart(s, 600_000)
	refusedByQuota(t, uploadNew(tenant, file(450_000)), "max_stored_bytes")
	refusedByQuota(t, tenant.SubmitDirectly("v3", "a.txt", file(450_000)), "max_stored_bytes")
	uploadNew(other, file(450_000)).Want(t, http.StatusOK)
	uploadNew(tenant, file(100_000)).Want(t, http.StatusOK)
	interrupted.connection.Close()
	servertest.Until(t, "the interrupted upload no longer counts", func() bool { return uploadNew(tenant, file(450_000)).Status == http.StatusOK })

	late := start()
	late.sendPart(s, 200_000)
	_, uploadURL := tenant.Announce("c.txt")
	for range 3 { // each one replaces the one before
		s.Upload(uploadURL, "c.txt", file(50_000)).Want(t, http.StatusOK)
	}
	if status := late.finish(t); status != http.StatusTooManyRequests {
		t.Errorf("an upload beyond the quota: status %d, want 429", status)
	}
	uploadNew(tenant, file(300_000)).Want(t, http.StatusOK)
	if stored := servertest.Value[int](s, "select sum(size) from submissions where tenant_id = $1", s.TenantID(tenant.Name)); stored != 900_000 {
		t.Errorf("%d bytes are stored, want 900000", stored)
	}
}
