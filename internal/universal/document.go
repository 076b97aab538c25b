package universal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
	"understudy.example/internal/storage"
	"understudy.example/internal/worker"
)

// View returns a view of the file of the tenant's submission, which a worker process
// reads. It counts toward the tenant's share. The error is an *api.Error if there is no
// such file, part or place, if the file cannot be read, or if the object store is away.
func (p *Processor) View(ctx context.Context, db storage.DB, tenantID uuid.UUID, txID string, query view.Query) (*view.Window, error) {
	found, err := NewFinder(db).find(ctx, tenantID, txID)
	if err != nil {
		return nil, err
	}
	if found.ObjectKey == nil {
		return nil, noDocument("The submission has no file yet")
	}
	if err := p.enter(ctx, tenantID); err != nil {
		return nil, err
	}
	defer p.leave(tenantID)
	file, err := p.Objects.Open(ctx, *found.ObjectKey)
	if err == nil {
		defer file.Close()
		var window *view.Window
		if window, err = p.Workers.View(ctx, tenantID.String(), found.Filename, file, query); err == nil {
			return window, nil
		}
	}
	unreadable := new(extract.Unreadable)
	_, crashed := errors.AsType[*worker.Crash](err)
	switch {
	case isStoreFault(err):
		return nil, documentUnavailable(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, noDocument("The file of the submission is gone")
	case errors.As(err, &unreadable) && unreadable.Cause == worker.CauseView:
		return nil, noDocument(unreadable.Reason)
	case errors.As(err, &unreadable):
		return nil, documentUnreadable(unreadable.Reason)
	case crashed:
		return nil, documentUnreadable("the worker process crashed")
	}
	return nil, fmt.Errorf("view %s: %w", found.TxID, err)
}

// enter counts a view as one of the tenant's documents that this server reads, as claim
// does. It waits while the tenant uses its whole share.
func (p *Processor) enter(ctx context.Context, tenantID uuid.UUID) error {
	for {
		p.mu.Lock()
		if p.inFlight[tenantID] < p.Share {
			p.count(tenantID)
			p.mu.Unlock()
			return nil
		}
		if p.left == nil {
			p.left = make(chan struct{})
		}
		left := p.left
		p.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func noDocument(message string) *api.Error {
	return api.NewControlError(http.StatusNotFound, message)
}

func documentUnreadable(reason string) *api.Error {
	return api.NewControlError(http.StatusUnprocessableEntity, "The document cannot be read: "+reason)
}

func documentUnavailable(err error) *api.Error {
	state := "failing"
	if store := new(storage.StoreError); errors.As(err, &store) {
		state = store.State
	}
	return api.NewError(http.StatusServiceUnavailable, "Service Unavailable",
		"the object store of the server is "+state+", and the file could not be read: retry").WithHeader("Retry-After", "1")
}
