package console

import (
	"net/url"
)

// webhookPages are the pages about webhooks.
var webhookPages = []page{
	{"/tenants/{t}/webhooks", "webhooks", "webhooks", loadWebhooks},
	{"/tenants/{t}/webhooks/{id}", "subscription", "webhooks", loadSubscription},
	{"/tenants/{t}/deliveries/{id}", "delivery", "webhooks", loadDelivery},
}

// deliveriesShown is how many deliveries a page lists.
const deliveriesShown = "50"

// loadWebhooks loads the subscriptions, and the deliveries that the query selects. With
// view=test, the page has the tools to test a receiver instead.
func loadWebhooks(v *visit) (any, error) {
	hooks, err := v.get(v.path("/hooks"))
	if err != nil || v.Query.Get("view") == "test" {
		return map[string]any{"hooks": at(hooks, "hooks")}, err
	}
	query := url.Values{"limit": {deliveriesShown}, "bodies": {"false"}}
	for _, name := range []string{"hook_id", "state", "event", "tx_id", "status", "before"} {
		if value := v.Query.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	deliveries, err := v.get(v.path("/deliveries?" + query.Encode()))
	return map[string]any{
		"hooks": at(hooks, "hooks"), "deliveries": at(deliveries, "deliveries"), "before": text(deliveries, "before"),
		"filtered": len(query) > 2,
	}, err
}

// loadSubscription loads a subscription with its newest deliveries.
func loadSubscription(v *visit) (any, error) {
	id := v.r.PathValue("id")
	hook, err := v.get(v.path("/hooks/" + url.PathEscape(id)))
	if err != nil {
		return nil, err
	}
	deliveries, err := v.get(v.path("/deliveries?" + url.Values{"limit": {"20"}, "bodies": {"false"}, "hook_id": {id}}.Encode()))
	return map[string]any{"hook": hook, "deliveries": at(deliveries, "deliveries"), "more": text(deliveries, "before") != ""}, err
}

// loadDelivery loads a delivery with its attempts.
func loadDelivery(v *visit) (any, error) {
	return v.get(v.path("/deliveries/" + url.PathEscape(v.r.PathValue("id"))))
}
