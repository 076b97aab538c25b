package console

import (
	"fmt"
	"net/http"
	"net/url"
)

// download streams the response of a GET call of the control API, of any size, to the
// visitor. The query field _download is the name under which a browser saves it as a
// file.
func (v *visit) download(path string) error {
	r, err := v.request(v.r.Context(), http.MethodGet, path, nil, "")
	if err != nil {
		return err
	}
	v.Control.ServeHTTP(&passing{ResponseWriter: v.w, header: http.Header{}, name: v.Query.Get("_download")}, r)
	return nil
}

// passing is a ResponseWriter that forwards a response of the control API to the visitor.
type passing struct {
	http.ResponseWriter             // of the visitor
	header              http.Header // of the control API
	name                string      // of the file in which a success is saved; "" = none
	begun               bool
}

func (p *passing) Header() http.Header { return p.header }

// Unwrap lets the control API set the deadlines of the connection.
func (p *passing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *passing) WriteHeader(status int) {
	if p.begun {
		return
	}
	p.begun = true
	header := p.ResponseWriter.Header()
	passHeader(header, p.header)
	if p.name != "" && status < 300 {
		header.Set("Content-Disposition", fmt.Sprintf("attachment; filename*=UTF-8''%s", url.PathEscape(p.name)))
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *passing) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.ResponseWriter.Write(b)
}

// passHeader copies the header fields of the control API that a visitor needs.
func passHeader(to, from http.Header) {
	for _, name := range []string{"Content-Type", "X-Understudy-Hint", "Retry-After", "Allow"} {
		if value := from.Get(name); value != "" {
			to.Set(name, value)
		}
	}
}
