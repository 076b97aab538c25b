package delivery

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Request is a delivery's HTTP request as it is sent over HTTP/1.1.
type Request struct {
	Method string
	URL    string
	Header []HeaderLine // in the order sent
	Body   []byte
}

// HeaderLine is one header line, spelled as it is sent.
type HeaderLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Preview returns the request that Send would send. The same code builds both.
func (s *Sender) Preview(m Message) (Request, error) {
	request, err := s.newRequest(context.Background(), m)
	if err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	var sent bytes.Buffer
	if err := request.Write(&sent); err != nil {
		return Request{}, fmt.Errorf("write request: %w", err)
	}
	head, body, _ := bytes.Cut(sent.Bytes(), []byte("\r\n\r\n"))
	preview := Request{Method: request.Method, URL: m.URL, Body: body}
	_, lines, _ := strings.Cut(string(head), "\r\n") // without the request line
	for line := range strings.SplitSeq(lines, "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		preview.Header = append(preview.Header, HeaderLine{name, value})
	}
	return preview, nil
}

// maxResponseHead is how many bytes of a response's head are stored.
const maxResponseHead = 8 << 10

// formatResponse returns a response in the form in which it is stored: its head, as
// HTTP/1.1, and the first MaxResponseBody bytes of its body. A body that is cut off
// is stored as far as it arrived.
func formatResponse(response *http.Response) []byte {
	var header bytes.Buffer
	response.Header.Write(&header) // a buffer never fails
	head := fmt.Sprintf("HTTP/1.1 %03d\r\n", response.StatusCode)
	for line := range strings.Lines(header.String()) {
		if len(head)+len(line) > maxResponseHead {
			break
		}
		head += line
	}
	stored := []byte(head + "\r\n")
	if response.ContentLength == 0 {
		return stored
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, MaxResponseBody))
	return append(stored, body...)
}

// ParseResponse splits a stored response into header and body. They are incomplete if
// the response was shortened.
func ParseResponse(stored []byte) (header http.Header, body []byte) {
	header = http.Header{}
	head, body, whole := bytes.Cut(stored, []byte("\r\n\r\n"))
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 ")) {
		return header, stored // it was emptied
	}
	if !whole {
		head = head[:max(0, bytes.LastIndex(head, []byte("\r\n")))] // without the line that was cut off
	}
	_, lines, _ := strings.Cut(string(head), "\r\n")
	for line := range strings.SplitSeq(lines, "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			header[name] = append(header[name], value)
		}
	}
	return header, body
}
