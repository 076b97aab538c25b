package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client is a demo client of a tenant.
type client struct {
	*server
	tenant, token string
	http          *http.Client
}

// login returns a client of the tenant.
func (s *server) login(ctx context.Context, tenant string) (*client, error) {
	c := &client{server: s, tenant: tenant, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/auth/token?grant_type=client_credentials", nil)
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(tenant+"-client", tenant+"-secret")
	var body struct {
		Token string `json:"access_token"`
	}
	if err := c.call(request, &body); err != nil {
		return nil, err
	}
	c.token = body.Token
	return c, nil
}

// request returns a request with the client's credentials.
func (c *client) request(ctx context.Context, method, path string, body io.Reader) *http.Request {
	if !strings.HasPrefix(path, "http") {
		path = c.url + path
	}
	request, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		panic(err) // the paths are constant
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("X-Api-Key", c.tenant+"-api-key")
	return request
}

// call sends the request and decodes the response, which must have the status 200.
func (c *client) call(request *http.Request, into any) error {
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s, %w", request.URL.Path, response.StatusCode, body, err)
	}
	return json.Unmarshal(body, into)
}

// submit submits a file and waits until it is processed.
func (c *client) submit(ctx context.Context, name string, content []byte) (txID string, err error) {
	var created struct {
		TxID string `json:"tx_id"`
		URL  string `json:"upload_url"`
	}
	announce := c.request(ctx, http.MethodPost, "/universal/v2/universal-submit/file-upload-url", strings.NewReader(fmt.Sprintf(`{"filename":%q}`, name)))
	announce.Header.Set("Content-Type", "application/json")
	if err := c.call(announce, &created); err != nil {
		return "", err
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", name)
	if err != nil {
		return "", err
	}
	part.Write(content) // to memory
	writer.Close()
	upload := c.request(ctx, http.MethodPut, created.URL, &form)
	upload.Header.Set("Content-Type", writer.FormDataContentType())
	if err := c.call(upload, new(any)); err != nil {
		return "", err
	}
	if err := c.call(c.request(ctx, http.MethodPost, "/universal/v2/universal-submit/file/"+created.TxID, nil), new(any)); err != nil {
		return "", err
	}
	for {
		var status struct{ Status string }
		if err := c.call(c.request(ctx, http.MethodGet, "/universal/v2/universal-submit/status/"+created.TxID, nil), &status); err != nil {
			return "", err
		}
		switch status.Status {
		case "Completed":
			return created.TxID, nil
		case "Failed":
			return "", fmt.Errorf("%s: the submission failed", name)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// read makes the call and reads the response, at most perSecond bytes per second; 0 is
// no limit. It returns the size of the response and its status.
func (c *client) read(ctx context.Context, path string, perSecond int) (size int64, status int, err error) {
	response, err := c.http.Do(c.request(ctx, http.MethodGet, path, nil))
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	if perSecond == 0 {
		size, err = io.Copy(io.Discard, response.Body)
		return size, response.StatusCode, err
	}
	for {
		n, err := io.CopyN(io.Discard, response.Body, int64(perSecond/10))
		size += n
		if err == io.EOF {
			return size, response.StatusCode, nil
		}
		if err != nil {
			return size, response.StatusCode, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// status is like read, but returns only the status of the response, or 0 if the
// response was not complete.
func (c *client) status(ctx context.Context, path string, perSecond int) int {
	_, status, err := c.read(ctx, path, perSecond)
	if err != nil {
		return 0
	}
	return status
}

// hangUp makes the call and closes the connection before the response.
func (c *client) hangUp(ctx context.Context, path string) int {
	at, err := url.Parse(c.url)
	if err != nil {
		return 0
	}
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return 0
	}
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nX-Api-Key: %s-api-key\r\n\r\n", path, at.Host, c.token, c.tenant)
	time.Sleep(50 * time.Millisecond) // the server has the request
	connection.Close()
	<-ctx.Done() // once
	return 0
}

// statementOfValues returns a CSV file with the number of locations.
func statementOfValues(rows int) []byte {
	var file bytes.Buffer
	fmt.Fprintln(&file, "Location,Address,City,State,Zip,Country,Construction,Year Built,Building Value,Contents Value")
	for i := range rows {
		fmt.Fprintf(&file, "%d,%d Mill Street,Springfield,IL,62701,US,Masonry,%d,%d,%d\n", i+1, i+1, 1950+i%70, 1_000_000+i, 200_000+i)
	}
	return file.Bytes()
}
