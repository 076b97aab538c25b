package universal

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
)

// tell publishes that the submissions have reached the states that they are in
// now. The data of each event is the status answer. now is real time.
func tell(ctx context.Context, tx pgx.Tx, tenants map[uuid.UUID]auth.Tenant, moved []submission, now time.Time) error {
	events := make([]hooks.Event, len(moved))
	for i, s := range moved {
		tenant := tenants[s.TenantID]
		events[i] = hooks.Event{
			TenantID:   s.TenantID,
			TenantName: tenant.Name,
			Name:       "universal_submit:" + strings.ToLower(s.Status),
			At:         tenant.Time(now),
			Data:       newStatusAnswer(s, tenant.Name, statusFor(tenant.Settings, s.Status)),
		}
	}
	return hooks.Publish(ctx, tx, now, events...)
}
