package universal

import (
	"bufio"
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/quota"
)

// UploadLimits limit the uploads that are in progress on a server at the same time.
type UploadLimits struct {
	Total         int
	PerTenant     int
	PerSubmission int
	Memory        int64         // bytes that the object store uses for uploads
	TenantMemory  int64         // bytes, for the uploads of one tenant
	Wait          time.Duration // for other uploads to end
}

// Uploads stores uploaded files and limits the uploads in progress. A call beyond a limit
// waits. First it waits for uploads of its submission, then for those of its tenant, then
// for all others, so a tenant at its limit does not delay the others.
type Uploads struct {
	objects *storage.Store
	limits  UploadLimits
	memory  *api.Budget
	all     chan struct{} // has an element for each upload in progress
	buffers sync.Pool     // of *bufio.Reader

	mu    sync.Mutex
	queue map[owner]*queue
}

// owner is a tenant, or one of its submissions if txID is not zero.
type owner struct{ tenantID, txID uuid.UUID }

// queue is for the uploads of one owner.
type queue struct {
	taken chan struct{} // has an element for each upload in progress
	calls int           // in progress or waiting

	unfinished int64 // bytes that uploads in progress have written
	recorded   int64 // bytes of the files that uploads have added to the submissions of the tenant
}

// NewUploads returns Uploads that stores files in objects.
func NewUploads(objects *storage.Store, limits UploadLimits) *Uploads {
	return &Uploads{
		objects: objects, limits: limits, memory: api.NewBudget(limits.Memory, limits.TenantMemory, limits.Wait),
		all:     make(chan struct{}, limits.Total),
		buffers: sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }},
		queue:   map[owner]*queue{},
	}
}

// upload is an upload in progress. Its bytes count against the quota max_stored_bytes of
// its tenant before the row of the submission contains them.
type upload struct {
	uploads *Uploads
	owners  []owner // in whose queues it is
	held    []chan struct{}
	tenant  *queue
	memory  *api.Room
	body    *bufio.Reader

	free           quota.Room
	recordedBefore int64 // tenant.recorded when free was read
	size           int64 // bytes that count
	recording      bool  // the bytes count as recorded
}

// begin waits until the tenant can upload a file of at most the given size to the
// submission. txID is zero for a new submission. The caller must end the upload. The
// error is an *api.Error.
func (u *Uploads) begin(ctx context.Context, tenantID, txID uuid.UUID, size int64) (*upload, error) {
	ctx, cancel := context.WithTimeout(ctx, u.limits.Wait)
	defer cancel()
	b := &upload{uploads: u}
	if txID != uuid.Nil {
		if !b.take(ctx, b.join(owner{tenantID, txID}, u.limits.PerSubmission).taken) {
			b.end()
			return nil, uploadsBusy("%d uploads of this transaction are in progress: retry when one of them has ended", u.limits.PerSubmission)
		}
	}
	b.tenant = b.join(owner{tenantID: tenantID}, u.limits.PerTenant)
	if !b.take(ctx, b.tenant.taken) {
		b.end()
		return nil, uploadsBusy("%d uploads of the tenant are in progress: retry, and upload fewer files at a time", u.limits.PerTenant)
	}
	if !b.take(ctx, u.all) {
		b.end()
		return nil, uploadsBusy("the server has %d uploads in progress: retry", u.limits.Total)
	}
	var err error
	if b.memory, err = u.memory.Reserve(ctx, tenantID, u.objects.PutMemory(size)); err != nil {
		b.end()
		return nil, uploadsBusy("the uploads in progress use all memory that the object store may use: retry, and upload fewer files at a time")
	}
	b.body = u.buffers.Get().(*bufio.Reader)
	return b, nil
}

// join returns the queue of the owner, for at most limit uploads. The upload is in it until
// its end.
func (b *upload) join(o owner, limit int) *queue {
	b.uploads.mu.Lock()
	defer b.uploads.mu.Unlock()
	q := b.uploads.queue[o]
	if q == nil {
		q = &queue{taken: make(chan struct{}, limit)}
		b.uploads.queue[o] = q
	}
	q.calls++
	b.owners = append(b.owners, o)
	return q
}

// take waits for a free place and takes it. It reports whether one became free before ctx
// ended.
func (b *upload) take(ctx context.Context, taken chan struct{}) bool {
	select {
	case taken <- struct{}{}:
		b.held = append(b.held, taken)
		return true
	case <-ctx.Done():
		return false
	}
}

// end frees all that the upload uses.
func (b *upload) end() {
	if b.body != nil {
		b.body.Reset(nil)
		b.uploads.buffers.Put(b.body)
	}
	if b.memory != nil {
		b.memory.Release()
	}
	for _, taken := range b.held {
		<-taken
	}
	b.uploads.mu.Lock()
	defer b.uploads.mu.Unlock()
	switch {
	case b.recording:
		b.tenant.recorded -= b.size
	case b.tenant != nil:
		b.tenant.unfinished -= b.size
	}
	for _, o := range b.owners {
		q := b.uploads.queue[o]
		if q.calls--; q.calls == 0 {
			delete(b.uploads.queue, o)
		}
	}
}

// findRoom reads how large the tenant's quotas allow the file to be. It returns a 429
// response if there is no room.
func (b *upload) findRoom(ctx context.Context, db storage.DB, tenant auth.Tenant, txID uuid.UUID) error {
	var free quota.Room
	if err := quota.InTurn(ctx, db, tenant, func() (err error) {
		free, err = quota.RoomFor(ctx, db, tenant, txID)
		return err
	}); err != nil {
		return err
	}
	b.uploads.mu.Lock()
	b.free, b.recordedBefore = free, b.tenant.recorded
	b.uploads.mu.Unlock()
	return b.grow(0)
}

// grow counts n more bytes of the file. If there is no room for them, or not even for one
// byte, it returns a 429 response and does not count them.
func (b *upload) grow(n int64) error {
	b.uploads.mu.Lock()
	defer b.uploads.mu.Unlock()
	others := b.tenant.unfinished - b.size + b.tenant.recorded - b.recordedBefore
	if err := b.free.Check(max(b.size+n, 1), others); err != nil {
		return err
	}
	b.size += n
	b.tenant.unfinished += n
	return nil
}

// beginRecording is called before the transaction that records the file in the
// submission's row. The transaction checks the quotas itself. From now on, the bytes
// count only for uploads that read the rows before they contained these bytes.
func (b *upload) beginRecording() {
	b.uploads.mu.Lock()
	defer b.uploads.mu.Unlock()
	b.tenant.unfinished -= b.size
	b.tenant.recorded += b.size
	b.recording = true
}

// recorded is called after that transaction. replaced is the size of the file that the
// submission had before.
func (b *upload) recorded(replaced int64) {
	b.uploads.mu.Lock()
	defer b.uploads.mu.Unlock()
	b.tenant.recorded -= replaced
	b.size = 0
}
