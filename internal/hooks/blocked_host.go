package hooks

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"

	"understudy.example/internal/api"
	"understudy.example/internal/call"
)

// blockedHostHint is the hint with a subscription to whose URL deliveries would fail.
const blockedHostHint = "url: its host resolves only to addresses that this server does not deliver to, so deliveries fail with blocked_address: use another host, or allow the addresses with --webhook-allow"

// warnOfBlockedHost warns in the log and with a hint if deliveries to the URL of the
// subscription would fail now, because its host is a name of addresses to which the
// sender does not deliver. The subscription is valid, since the addresses of a name can
// change. Without hints, the host is not looked up.
func warnOfBlockedHost(ctx context.Context, w http.ResponseWriter, sender *Sender, h hook) {
	target, err := url.Parse(h.URL)
	if err != nil || !call.From(ctx).Hints {
		return
	}
	blocked := sender.BlockedAddresses(ctx, target.Hostname())
	if len(blocked) == 0 {
		return
	}
	slog.WarnContext(ctx, "a subscription's host resolves only to addresses that are not allowed", "hook_id", h.ID, "host", target.Hostname(), "addresses", blocked)
	api.SetHint(ctx, w, blockedHostHint)
}
