package sandbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Subscription is a webhook subscription.
type Subscription struct {
	ID         string         `json:"id"`
	MadeBy     string         `json:"made_by"` // "api", by a client, or "console", by the control API
	Name       string         `json:"name"`    // "" if it has none
	Active     bool           `json:"active"`
	Events     []string       `json:"events"`
	URL        string         `json:"url"`
	Header     string         `json:"header"` // with its value masked; "" if there is none
	HasSecret  bool           `json:"has_secret"`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`
	Deliveries map[string]int `json:"deliveries"` // number by state, such as "pending"
}

// NewSubscription is a subscription to create, or the change of one. Fields that are nil
// are not set or changed.
type NewSubscription struct {
	Name   *string  `json:"name,omitempty"`
	URL    *string  `json:"url,omitempty"`
	Events []string `json:"events,omitempty"` // subjects such as "universal_submit", or "*"
	Header *string  `json:"header,omitempty"` // "Name: Value"
	Secret *string  `json:"secret,omitempty"` // "" removes it
	Active *bool    `json:"active,omitempty"`
}

// Subscriptions returns the tenant's webhook subscriptions, oldest first.
func (s *Sandbox) Subscriptions() []Subscription {
	s.t.Helper()
	var found struct{ Hooks []Subscription }
	s.callControl(http.MethodGet, s.tenantPath("/hooks"), nil, &found)
	return found.Hooks
}

// Subscribe creates a webhook subscription.
func (s *Sandbox) Subscribe(subscription NewSubscription) Subscription {
	s.t.Helper()
	var created Subscription
	s.callControl(http.MethodPost, s.tenantPath("/hooks"), subscription, &created)
	return created
}

// UpdateSubscription changes a subscription that Subscribe created.
func (s *Sandbox) UpdateSubscription(id string, change NewSubscription) Subscription {
	s.t.Helper()
	var changed Subscription
	s.callControl(http.MethodPut, s.tenantPath("/hooks/"+url.PathEscape(id)), change, &changed)
	return changed
}

// Unsubscribe deletes a subscription that Subscribe created.
func (s *Sandbox) Unsubscribe(id string) {
	s.t.Helper()
	s.callControl(http.MethodDelete, s.tenantPath("/hooks/"+url.PathEscape(id)), nil, nil)
}

// Delivery returns the delivery with this RequestID, with the request of each attempt.
func (s *Sandbox) Delivery(requestID string) Delivery {
	s.t.Helper()
	var found Delivery
	s.callControl(http.MethodGet, s.tenantPath("/deliveries/"+url.PathEscape(requestID)), nil, &found)
	return found
}

// SignatureCheck is the result of Sandbox.CheckSignature.
type SignatureCheck struct {
	Valid    bool   `json:"valid"`
	Expected string `json:"expected"` // the right X-Signature
	Cause    string `json:"cause"`    // the likeliest mistake; "" if it is valid
}

// CheckSignature compares an X-Signature with the one that the server sends with the
// body, signed with the secret.
func (s *Sandbox) CheckSignature(body []byte, header, secret string) SignatureCheck {
	s.t.Helper()
	var check SignatureCheck
	s.callControl(http.MethodPost, s.tenantPath("/signature"), map[string]any{"body_base64": body, "header": header, "secret": secret}, &check)
	return check
}

// Due is something that happens at a time of the tenant's clock. Fields that do not apply
// to its Kind are zero.
type Due struct {
	Kind      string    `json:"kind"` // "state", "delivery" or "expired"
	At        time.Time `json:"at"`
	TxID      string    `json:"tx_id"`
	Status    string    `json:"status"` // kind "state": the next status; "" if the submission ends
	Expires   string    `json:"what"`   // kind "expired": "upload_url", "client_secret" or "fault"
	RequestID string    `json:"request_id"`
	HookID    string    `json:"hook_id"`
	Event     string    `json:"event"`
	Attempt   int       `json:"attempt"`
	ClientID  string    `json:"client_id"`
	FaultID   string    `json:"fault_id"`
}

// Due returns what happens next because of the tenant's clock, in order, at most 20. Pass
// the time of one to SetClock to make it happen.
func (s *Sandbox) Due() []Due {
	s.t.Helper()
	var clock struct{ Due []Due }
	s.callControl(http.MethodGet, s.tenantPath("/clock?due=true"), nil, &clock)
	return clock.Due
}

// Configuration returns the tenant's configuration as JSON, without secrets.
func (s *Sandbox) Configuration() json.RawMessage {
	s.t.Helper()
	var configuration json.RawMessage
	s.callControl(http.MethodGet, s.tenantPath("/configuration"), nil, &configuration)
	return configuration
}

// ImportResult is the result of Sandbox.ImportConfiguration.
type ImportResult struct {
	CreatedClients []ImportedClient `json:"created_clients"`
	Missing        []string         `json:"missing"` // paths of secrets and headers that were not exported
}

// ImportedClient is a client that an import created.
type ImportedClient struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// ImportConfiguration replaces each section of the tenant's configuration that the JSON
// has, in the form that Configuration returns.
func (s *Sandbox) ImportConfiguration(configuration json.RawMessage) ImportResult {
	s.t.Helper()
	var result ImportResult
	s.callControl(http.MethodPut, s.tenantPath("/configuration"), configuration, &result)
	return result
}
