package seed_test

import "testing"

// TestIsDemo checks which seeds have credentials that everybody knows.
func TestIsDemo(t *testing.T) {
	t.Parallel()
	for tenant, want := range map[string]bool{
		"clients: [{client_id: a, client_secret: b}]\n    api_keys: [c]":               false,
		"clients: [{client_id: acme-client, client_secret: b}]":                        true,
		"clients: [{client_id: a, client_secret: acme-secret}]":                        true,
		"clients: [{client_id: a, client_secret: globex-secret-staging}]":              true,
		"clients: [{client_id: a, client_secret: b}]\n    api_keys: [c, acme-api-key]": true,
	} {
		if got := parse(t, "\n  - tenant: initech\n    "+tenant+"\n").IsDemo(); got != want {
			t.Errorf("%s: %v, want %v", tenant, got, want)
		}
	}
}
