package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

// client is the demo client of the tenant acme.
type client struct {
	url, controlURL, token string
	http                   *http.Client
}

// login returns a client of the server.
func login(ctx context.Context, server *process) (*client, error) {
	c := &client{url: "http://" + server.found[0], controlURL: server.found[1], http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/auth/token?grant_type=client_credentials", nil)
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth("acme-client", "acme-secret")
	var body struct {
		Token string `json:"access_token"`
	}
	err = c.send(request, &body)
	c.token = body.Token
	return c, err
}

// headers are the credentials of the client, as lines.
func (c *client) headers() []string {
	return []string{"Authorization: Bearer " + c.token, "X-Api-Key: acme-api-key"}
}

// do makes a call and decodes the response, which must have a 2xx status.
func (c *client) do(ctx context.Context, method, path, contentType string, body io.Reader, into any) error {
	url := c.url + path
	if strings.HasPrefix(path, "http") {
		url = path
	}
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	for _, header := range c.headers() {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return c.send(request, into)
}

func (c *client) send(request *http.Request, into any) error {
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: status %d: %s", request.Method, request.URL.Path, response.StatusCode, body)
	}
	if into == nil || len(body) == 0 {
		return nil
	}
	return json.Unmarshal(body, into)
}

// announce requests an upload URL.
func (c *client) announce(ctx context.Context, name string) (txID, uploadURL string, err error) {
	var created struct {
		TxID string `json:"tx_id"`
		URL  string `json:"upload_url"`
	}
	err = c.do(ctx, http.MethodPost, "/universal/v2/universal-submit/file-upload-url", "application/json", strings.NewReader(fmt.Sprintf(`{"filename":%q}`, name)), &created)
	return created.TxID, created.URL, err
}

// form returns a multipart body with the file, and its content type.
func form(name string, content []byte) (body []byte, contentType string) {
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	part, _ := writer.CreateFormFile("file", name)
	part.Write(content)
	writer.Close()
	return buffer.Bytes(), writer.FormDataContentType()
}

// submit submits a file and waits until it has been processed. It returns the time from
// the trigger until a poll showed that.
func (c *client) submit(ctx context.Context, name string, content []byte) (txID string, took time.Duration, err error) {
	txID, uploadURL, err := c.announce(ctx, name)
	if err != nil {
		return "", 0, err
	}
	body, contentType := form(name, content)
	if err := c.do(ctx, http.MethodPut, uploadURL, contentType, bytes.NewReader(body), nil); err != nil {
		return "", 0, err
	}
	begun := time.Now()
	if err := c.do(ctx, http.MethodPost, "/universal/v2/universal-submit/file/"+txID, "", nil, nil); err != nil {
		return "", 0, err
	}
	for {
		var polled struct{ Status string }
		if err := c.do(ctx, http.MethodGet, "/universal/v2/universal-submit/status/"+txID, "", nil, &polled); err != nil {
			return "", 0, err
		}
		switch polled.Status {
		case "Completed":
			return txID, time.Since(begun), nil
		case "Failed":
			return "", 0, fmt.Errorf("submission %s failed", txID)
		}
		time.Sleep(time.Millisecond)
	}
}

// control makes a call of the control API about the tenant.
func (c *client) control(ctx context.Context, method, path, body string) error {
	request, err := http.NewRequestWithContext(ctx, method, c.controlURL+"/control/v1/tenants/acme"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	return c.send(request, nil)
}
