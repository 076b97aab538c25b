package sandbox

import (
	"net/http"
	"testing"
	"time"
)

// requestToken requests a token with the credentials and returns the status code.
func requestToken(t *testing.T, s *Sandbox, clientID, secret string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.BaseURL+"/auth/token?grant_type=client_credentials", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(clientID, secret)
	response, err := s.server.control.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestClients(t *testing.T) {
	t.Parallel()
	s := Start(t)
	id := s.TenantName + "-reader"
	created := s.AddClient(NewClient{ClientID: id, ClientSecret: "s3cret", Permissions: []string{"::data/v1:get"}})
	if created.ClientID != id || created.ClientSecret != "s3cret" || created.UserID == "" || created.CreatedAt.IsZero() {
		t.Errorf("created client: got %+v", created)
	}
	if code := requestToken(t, s, id, "s3cret"); code != http.StatusOK {
		t.Errorf("token of the new client: got %d, want 200", code)
	}
	s.ChangeClient(id, ClientChange{ClientSecret: "an0ther", Permissions: []string{"::data/v2:get"}})
	if code := requestToken(t, s, id, "an0ther"); code != http.StatusOK {
		t.Errorf("token with the changed secret: got %d, want 200", code)
	}
	var permissions []string
	for _, client := range s.Clients() {
		if client.ClientID == id {
			permissions = client.Permissions
		}
	}
	checkEqual(t, "permissions", permissions, []string{"::data/v2:get"})
	s.RevokeClient(id)
	if code := requestToken(t, s, id, "an0ther"); code != http.StatusUnauthorized || len(s.Clients()) != 1 {
		t.Errorf("token of the revoked client: got %d, want 401; clients %+v", code, s.Clients())
	}
}

// TestRotateSecret checks that the Sandbox uses the new secret of its client, and that
// the old one works until the overlap ends.
func TestRotateSecret(t *testing.T) {
	t.Parallel()
	s := Start(t)
	old := s.ClientSecret
	if secret := s.RotateSecret(s.ClientID, time.Hour); secret == old || s.ClientSecret != secret {
		t.Errorf("the new secret is %q, ClientSecret %q", secret, s.ClientSecret)
	}
	if code := requestToken(t, s, s.ClientID, old); code != http.StatusOK {
		t.Errorf("token with the old secret: got %d, want 200", code)
	}
	effects := s.Advance(time.Hour)
	if len(effects) != 1 || effects[0].Expired != "client_secret" || effects[0].ClientID != s.ClientID {
		t.Errorf("effects: got %+v", effects)
	}
	if code := requestToken(t, s, s.ClientID, old); code != http.StatusUnauthorized {
		t.Errorf("token with the old secret after the overlap: got %d, want 401", code)
	}
	s.Token()
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	s := Start(t)
	created := s.AddAPIKey("")
	s.APIKey = created.Key
	if code, _ := getAPI(t, s, "/universal/v2/universal-submit/status/none"); code != http.StatusNotFound {
		t.Errorf("call with the new API key: got %d, want 404", code)
	}
	if keys := s.APIKeys(); len(keys) != 2 || keys[1].ID != created.ID || keys[1].Key != "" {
		t.Errorf("API keys: got %+v", keys)
	}
	s.RemoveAPIKey(created.ID)
	if code, _ := getAPI(t, s, "/universal/v2/universal-submit/status/none"); code != http.StatusForbidden {
		t.Errorf("call with the removed API key: got %d, want 403", code)
	}
	if key := s.AddAPIKey(s.TenantName + "-key"); key.Key != s.TenantName+"-key" {
		t.Errorf("added key: got %+v", key)
	}
}
