package sandbox

import (
	"net/http"
	"net/url"
	"time"
)

// Client is a client of the tenant. Its secret is only set by AddClient.
type Client struct {
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret"`
	UserID       string    `json:"user_id"`
	Permissions  []string  `json:"permissions"`
	CreatedAt    time.Time `json:"created_at"` // real time
}

// NewClient is a client that AddClient creates.
type NewClient struct {
	ClientID     string   `json:"client_id,omitempty"`     // unique on the server; random if it is ""
	ClientSecret string   `json:"client_secret,omitempty"` // random if it is ""
	Permissions  []string `json:"permissions,omitzero"`    // such as "::data/v2:get"; all if it is nil
}

// ClientChange is a change of a client.
type ClientChange struct {
	ClientSecret string   `json:"client_secret,omitempty"` // unchanged if it is ""
	Permissions  []string `json:"permissions,omitzero"`    // unchanged if it is nil
}

// Clients returns the tenant's clients, ordered by ID.
func (s *Sandbox) Clients() []Client {
	s.t.Helper()
	var found struct{ Clients []Client }
	s.callControl(http.MethodGet, s.tenantPath("/clients"), nil, &found)
	return found.Clients
}

// AddClient creates another client of the tenant.
func (s *Sandbox) AddClient(client NewClient) Client {
	s.t.Helper()
	var created Client
	s.callControl(http.MethodPost, s.tenantPath("/clients"), client, &created)
	return created
}

// ChangeClient changes a client. New permissions also apply to the access tokens
// that the client already has. A new secret replaces the old one at once.
func (s *Sandbox) ChangeClient(clientID string, change ClientChange) {
	s.t.Helper()
	s.callControl(http.MethodPatch, s.clientPath(clientID), change, nil)
	if change.ClientSecret != "" {
		s.useSecret(clientID, change.ClientSecret)
	}
}

// RotateSecret replaces the secret of a client and returns the new one. The old
// secret works until the overlap ends in the tenant's time. If the client is the
// one of the Sandbox, ClientSecret is set to the new secret.
func (s *Sandbox) RotateSecret(clientID string, overlap time.Duration) string {
	s.t.Helper()
	var rotated struct {
		ClientSecret string `json:"client_secret"`
	}
	s.callControl(http.MethodPost, s.clientPath(clientID)+"/rotate", map[string]string{"overlap": overlap.String()}, &rotated)
	s.useSecret(clientID, rotated.ClientSecret)
	return rotated.ClientSecret
}

// RevokeClient revokes a client: its secrets and tokens become invalid.
func (s *Sandbox) RevokeClient(clientID string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.clientPath(clientID), nil, nil)
}

func (s *Sandbox) clientPath(clientID string) string {
	return s.tenantPath("/clients/" + url.PathEscape(clientID))
}

// useSecret sets ClientSecret, if the client is the one of the Sandbox.
func (s *Sandbox) useSecret(clientID, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if clientID == s.ClientID {
		s.ClientSecret = secret
	}
}

// APIKey is an API key of the tenant. The key itself is only set by AddAPIKey.
type APIKey struct {
	ID        string    `json:"id"`
	Key       string    `json:"key"`
	CreatedAt time.Time `json:"created_at"` // real time
}

// APIKeys returns the tenant's API keys, oldest first.
func (s *Sandbox) APIKeys() []APIKey {
	s.t.Helper()
	var found struct {
		APIKeys []APIKey `json:"api_keys"`
	}
	s.callControl(http.MethodGet, s.tenantPath("/api-keys"), nil, &found)
	return found.APIKeys
}

// AddAPIKey adds an API key to the tenant. If key is "", the server generates one.
func (s *Sandbox) AddAPIKey(key string) APIKey {
	s.t.Helper()
	body := map[string]string{}
	if key != "" {
		body["key"] = key
	}
	var created APIKey
	s.callControl(http.MethodPost, s.tenantPath("/api-keys"), body, &created)
	return created
}

// RemoveAPIKey deletes the API key with this ID.
func (s *Sandbox) RemoveAPIKey(id string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/api-keys/"+url.PathEscape(id)), nil, nil)
}
