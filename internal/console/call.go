package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/route"
)

// maxShown is the maximum size in bytes of a response of the control API that a page
// shows. Longer ones can be downloaded.
const maxShown = 4 << 20

// callError is a response of the control API that is not a success.
type callError struct {
	Status  int
	Message string
	Hint    string
}

func (e *callError) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Message) }

// response is a response of the control API.
type response struct {
	status int
	header http.Header
	body   bytes.Buffer
	full   bool // the body is longer than maxShown, and the rest is missing
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) { r.status = cmp.Or(r.status, status) }

func (r *response) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	room := min(len(p), maxShown-r.body.Len())
	r.full = r.full || room < len(p)
	r.body.Write(p[:room])
	return len(p), nil
}

// err returns the error of the response; nil if it is a success.
func (r *response) err() error {
	switch {
	case r.status >= 300:
		var body struct{ Message string }
		json.Unmarshal(r.body.Bytes(), &body) // an error leaves the message empty
		return &callError{r.status, cmp.Or(body.Message, http.StatusText(r.status)), r.header.Get("X-Understudy-Hint")}
	case r.full:
		return &callError{http.StatusRequestEntityTooLarge, fmt.Sprintf("The response is larger than %d MB, too much for a page.", maxShown>>20), ""}
	}
	return nil
}

// decoded returns the JSON of a successful response as Go values, with numbers as
// json.Number; nil if it has no body.
func (r *response) decoded() (any, error) {
	if err := r.err(); err != nil || r.body.Len() == 0 {
		return nil, err
	}
	decoder := json.NewDecoder(&r.body)
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// request returns a request of the control API on behalf of the visitor. path is below
// route.ControlBase, with its query.
func (v *visit) request(ctx context.Context, method, path string, body io.Reader, contentType string) (*http.Request, error) {
	target, err := url.Parse(route.ControlBase + path)
	if err != nil {
		return nil, err
	}
	// The router must not treat the request as a part of the visitor's.
	r := v.r.Clone(context.WithValue(ctx, chi.RouteCtxKey, nil))
	r.Method, r.URL, r.RequestURI = method, target, target.RequestURI()
	for _, name := range []string{"Accept", "Accept-Encoding", "Content-Encoding", "Content-Type", "Content-Length", "Cookie", "If-None-Match", "Range", "Authorization"} {
		r.Header.Del(name)
	}
	r.Body, r.ContentLength = http.NoBody, 0
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(body), -1
		if text, ok := body.(*bytes.Reader); ok {
			r.ContentLength = int64(text.Len())
		}
		r.Header.Set("Content-Type", contentType)
	}
	r.Form, r.PostForm, r.MultipartForm = nil, nil, nil
	if token, ok := v.token(); ok {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r, nil
}

// call makes a call of the control API and returns its response.
func (v *visit) call(method, path string, body io.Reader, contentType string) (*response, error) {
	r, err := v.request(v.r.Context(), method, path, body, contentType)
	if err != nil {
		return nil, err
	}
	response := &response{header: http.Header{}}
	v.Control.ServeHTTP(response, r)
	response.WriteHeader(http.StatusOK)
	return response, nil
}

// get returns the JSON at a path of the control API, below route.ControlBase and with
// its query. Its error is a *callError if the API has refused the call.
func (v *visit) get(path string) (any, error) {
	response, err := v.call(http.MethodGet, path, nil, "")
	if err != nil {
		return nil, err
	}
	return response.decoded()
}
