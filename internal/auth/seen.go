package auth

import (
	"net/http"

	"understudy.example/internal/api"
)

// OnCall has act called with each call as soon as it is known whose it is,
// and before anything is changed. Its error answers the call. Set it before
// the first call.
func (g *Gate) OnCall(act func(r *http.Request, tenant Tenant) error) { g.act = act }

// Seen notes whose call it is, for those who watch calls, and lets what was
// set by OnCall act on it. clientID is "" for an upload.
func (g *Gate) Seen(r *http.Request, tenant Tenant, clientID string) error {
	note(r, tenant, clientID)
	if g.act == nil {
		return nil
	}
	return g.act(r, tenant)
}

func note(r *http.Request, tenant Tenant, clientID string) {
	call := api.CallOf(r.Context())
	call.TenantID, call.ClientID, call.ClockOffset = tenant.ID, clientID, tenant.ClockOffset
}

// tenant is the client's.
func (c Client) tenant() Tenant {
	return Tenant{ID: c.TenantID, Name: c.TenantName, ClockOffset: c.ClockOffset, Settings: c.Settings}
}
