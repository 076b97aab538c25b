package servertest

import (
	"encoding/json"
	"net/http"

	"understudy.example/internal/auth"
	"understudy.example/internal/seed"
)

// Client makes calls with an access token and an API key.
type Client struct {
	*Server
	Token, Key string
}

// Login returns a client with a fresh token for the credentials.
func (s *Server) Login(demo auth.Demo) Client {
	s.T.Helper()
	return Client{s, s.NewToken(demo).Text(s.T, "access_token"), demo.APIKey}
}

// Acme is a full client of the demo tenant acme.
func (s *Server) Acme() Client { return s.Login(s.Demo(0)) }

// Globex is a full client of the demo tenant globex.
func (s *Server) Globex() Client { return s.Login(s.Demo(1)) }

// Demo returns one of seed.Demos() as it is in the server's environment.
func (s *Server) Demo(i int) auth.Demo {
	if s.Keys == nil { // another process, in the default environment
		return seed.Demos()[i]
	}
	return seed.Demos()[i].In(s.Keys.Environment)
}

// NewToken gets an access token with client credentials.
func (s *Server) NewToken(demo auth.Demo) Response {
	s.T.Helper()
	return s.Do(Call{
		Line:   "POST /auth/token?grant_type=client_credentials",
		Header: map[string]string{"Authorization": Basic(demo.ClientID, demo.ClientSecret)},
	}).Want(s.T, http.StatusOK)
}

// Basic returns the Authorization header of HTTP Basic authentication.
func Basic(id, secret string) string {
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(id, secret)
	return request.Header.Get("Authorization")
}

// Do makes the call as the client.
func (c Client) Do(line, body string) Response {
	c.T.Helper()
	return c.Server.Do(Call{Line: line, Token: c.Token, Key: c.Key, Body: body})
}

// DoUnchecked makes the call as the client. The response, which may be a
// fault's, is not checked against the document.
func (c Client) DoUnchecked(line, body string) Response {
	c.T.Helper()
	return c.Server.DoWith(http.DefaultClient, Call{Line: line, Token: c.Token, Key: c.Key, Body: body})
}

// Announce gets an upload URL.
func (c Client) Announce(filename string) (txID, uploadURL string) {
	c.T.Helper()
	body, _ := json.Marshal(map[string]string{"filename": filename})
	response := c.Do("POST /universal/v2/universal-submit/file-upload-url", string(body)).Want(c.T, http.StatusOK)
	return response.Text(c.T, "tx_id"), response.Text(c.T, "upload_url")
}

// Upload uploads the file to the upload URL.
func (s *Server) Upload(url, filename string, content []byte) Response {
	s.T.Helper()
	contentType, body := Form(s.T, Part{"file", filename, content})
	return s.Do(Call{Line: "PUT " + url, Header: map[string]string{"Content-Type": contentType}, Body: body})
}

// Trigger triggers processing.
func (c Client) Trigger(txID string) Response {
	c.T.Helper()
	return c.Do("POST /universal/v2/universal-submit/file/"+txID, "")
}

// Status reads the submission's status.
func (c Client) Status(txID string) Response {
	c.T.Helper()
	return c.Do("GET /universal/v2/universal-submit/status/"+txID, "")
}

// SubmitFile announces, uploads and triggers a file, and returns its tx_id.
func (c Client) SubmitFile(filename string, content []byte) (txID string) {
	c.T.Helper()
	txID, url := c.Announce(filename)
	c.Upload(url, filename, content).Want(c.T, http.StatusOK)
	c.Trigger(txID).Want(c.T, http.StatusOK)
	return txID
}

// Submit is SubmitFile and Settle: the submission has ended when it returns.
func (c Client) Submit(filename string, content []byte) (txID string) {
	c.T.Helper()
	txID = c.SubmitFile(filename, content)
	c.Settle()
	return txID
}

// AwaitEnd polls the status of a submission until it is final, and returns the
// last response.
func (c Client) AwaitEnd(txID string) Response {
	c.T.Helper()
	return c.AwaitStatus(txID, "Completed", "Failed", "Succeeded")
}

// AwaitStatus polls the status of a submission until it is one of the given.
func (c Client) AwaitStatus(txID string, statuses ...string) (last Response) {
	c.T.Helper()
	Until(c.T, txID+" has a wanted status", func() bool {
		last = c.Status(txID).Want(c.T, http.StatusOK)
		for _, status := range statuses {
			if last.Text(c.T, "status") == status {
				return true
			}
		}
		return false
	})
	return last
}

// SubmitDirectly submits a file in one call.
func (c Client) SubmitDirectly(version, filename string, content []byte) Response {
	c.T.Helper()
	contentType, body := Form(c.T, Part{"file", filename, content})
	return c.Server.Do(Call{
		Line: "POST /universal/" + version + "/universal-submit/file", Token: c.Token, Key: c.Key, Body: body,
		Header: map[string]string{"Content-Type": contentType, "x-tenantId": "nobody"},
	})
}

// Refresh uses a refresh token.
func (s *Server) Refresh(demo auth.Demo, token string) Response {
	s.T.Helper()
	return s.Do(Call{
		Line: "POST /auth/token",
		Header: map[string]string{
			"Authorization": Basic(demo.ClientID, demo.ClientSecret), "Content-Type": "application/x-www-form-urlencoded",
		},
		Body: "grant_type=refresh_token&refresh_token=" + token,
	})
}
