// Package remote calls the control API of a running server. It does not know the calls.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Control is the control API of a server.
type Control struct {
	URL    string // of the control listener, without a slash at the end
	Token  string // "" if the server requires none
	Client *http.Client
}

// Response is a response of the server.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Err returns nil if the status is 2xx, and otherwise an error with the status, the
// message and the hint.
func (r Response) Err() error {
	if r.Status/100 == 2 {
		return nil
	}
	var content struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(r.Body, &content) != nil || content.Message == "" {
		content.Message = string(r.Body)
	}
	if hint := r.Header.Get("X-Understudy-Hint"); hint != "" && hint != content.Message {
		content.Message += " (" + hint + ")"
	}
	return fmt.Errorf("%d %s: %s", r.Status, http.StatusText(r.Status), content.Message)
}

// Decode unmarshals the body into out, unless out is nil. It returns the error of the
// response if that has one.
func (r Response) Decode(out any) error {
	if err := r.Err(); err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(r.Body, out); err != nil {
		return fmt.Errorf("%w, in: %s", err, r.Body)
	}
	return nil
}

// Call calls the control API with in as the JSON body, unless in is nil. The path is
// relative to /control/v1.
func (c Control) Call(ctx context.Context, method, path string, in any) (Response, error) {
	var contentType string
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return Response{}, err
		}
		contentType, body = "application/json", bytes.NewReader(text)
	}
	request, err := c.Request(ctx, method, path, contentType, body)
	if err != nil {
		return Response{}, err
	}
	return Do(c.Client, request)
}

// Request returns a request of the control API with a body of any type.
func (c Control) Request(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/control/v1"+path, body)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	return request, nil
}

// maxResponse is the maximum size of a response in bytes.
const maxResponse = 256 << 20

// Do sends the request and reads the whole response.
func Do(client *http.Client, request *http.Request) (Response, error) {
	response, err := client.Do(request)
	if err != nil {
		return Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(body) > maxResponse {
		err = fmt.Errorf("the response is larger than %d MiB", maxResponse>>20)
	}
	return Response{response.StatusCode, response.Header, body}, err
}
