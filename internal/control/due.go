package control

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/timing"
)

// maxDue is the maximum number of due times that the clock lists.
const maxDue = 20

// dueBody is something that will happen at a time of the tenant's clock. Each kind has
// its own fields.
type dueBody struct {
	Kind      string     `json:"kind"` // state, delivery or expired
	At        api.Time   `json:"at"`
	TxID      string     `json:"tx_id,omitempty"`
	Status    string     `json:"status,omitempty"` // state: the state to be reached; "" if it ends
	What      string     `json:"what,omitempty"`   // expired: upload_url, client_secret or fault
	RequestID *uuid.UUID `json:"request_id,omitempty"`
	HookID    *uuid.UUID `json:"hook_id,omitempty"`
	Event     string     `json:"event,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	ClientID  string     `json:"client_id,omitempty"`
	FaultID   *uuid.UUID `json:"fault_id,omitempty"`
}

// upcoming returns what happens next because of the tenant's clock, in order, at most
// maxDue. now is the real time.
func upcoming(ctx context.Context, db storage.DB, tenant auth.Tenant, now time.Time) ([]dueBody, error) {
	due := []dueBody{}
	for _, p := range participants {
		if p.upcoming == nil {
			continue
		}
		more, err := p.upcoming(ctx, db, tenant, now)
		if err != nil {
			return nil, err
		}
		due = append(due, more...)
	}
	slices.SortStableFunc(due, func(a, b dueBody) int {
		return cmp.Or(time.Time(a.At).Compare(time.Time(b.At)), cmp.Compare(a.TxID, b.TxID))
	})
	return due[:min(len(due), maxDue)], nil
}

func upcomingStates(ctx context.Context, db storage.DB, tenant auth.Tenant, now time.Time) ([]dueBody, error) {
	states, err1 := timing.NextDues(ctx, db, tenant.ID, maxDue)
	uploads, err2 := timing.NextUploadExpiries(ctx, db, tenant.ID, tenant.Time(now), maxDue)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var due []dueBody
	for _, s := range states {
		due = append(due, dueBody{Kind: "state", At: api.Time(tenant.TimeDue(s.DueAt)), TxID: s.TxID.String(), Status: s.Status})
	}
	for _, upload := range uploads {
		due = append(due, dueBody{Kind: "expired", At: api.Time(upload.At), TxID: upload.TxID.String(), What: "upload_url"})
	}
	return due, nil
}

func upcomingDeliveries(ctx context.Context, db storage.DB, tenant auth.Tenant, _ time.Time) ([]dueBody, error) {
	found, err := hooks.NextDues(ctx, db, tenant.ID, maxDue)
	if err != nil {
		return nil, err
	}
	due := make([]dueBody, len(found))
	for i, d := range found {
		due[i] = dueBody{Kind: "delivery", At: api.Time(tenant.TimeDue(d.DueAt)), RequestID: &d.ID, HookID: &d.HookID, Event: d.Event, Attempt: d.Attempt}
	}
	return due, nil
}

func upcomingSecrets(ctx context.Context, db storage.DB, tenant auth.Tenant, now time.Time) ([]dueBody, error) {
	at := tenant.Time(now)
	secrets, err := auth.ExpiredSecrets(ctx, db, tenant.ID, at, at.Add(api.MaxDuration))
	if err != nil {
		return nil, err
	}
	var due []dueBody
	for _, s := range secrets[:min(len(secrets), maxDue)] {
		due = append(due, dueBody{Kind: "expired", At: api.Time(s.ExpiresAt), What: "client_secret", ClientID: s.ClientID})
	}
	return due, nil
}

func upcomingFaults(ctx context.Context, db storage.DB, tenant auth.Tenant, now time.Time) ([]dueBody, error) {
	at := tenant.Time(now)
	faults, err := fault.Expired(ctx, db, tenant.ID, at, at.Add(api.MaxDuration))
	if err != nil {
		return nil, err
	}
	var due []dueBody
	for _, f := range faults[:min(len(faults), maxDue)] {
		due = append(due, dueBody{Kind: "expired", At: api.Time(f.ExpiresAt), What: "fault", FaultID: &f.ID})
	}
	return due, nil
}
