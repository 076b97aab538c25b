package hooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Request is a delivery's HTTP request as it goes over the wire by HTTP/1.1.
type Request struct {
	Method string
	URL    string
	Header []HeaderLine // in the order sent
	Body   []byte
}

// HeaderLine is one line of a header, spelled as it is sent.
type HeaderLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// wire is what Send would send of the message: it is written by the same code.
func (s *Sender) wire(m Message) (Request, error) {
	request, err := s.request(context.Background(), m)
	if err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	var sent bytes.Buffer
	if err := request.Write(&sent); err != nil {
		return Request{}, fmt.Errorf("write request: %w", err)
	}
	head, body, _ := bytes.Cut(sent.Bytes(), []byte("\r\n\r\n"))
	made := Request{Method: request.Method, URL: m.URL, Body: body}
	for i, line := range strings.Split(string(head), "\r\n") {
		if i == 0 {
			continue // method and path
		}
		name, value, _ := strings.Cut(line, ": ")
		made.Header = append(made.Header, HeaderLine{name, value})
	}
	return made, nil
}

// keptHead is how much of an answer's head is kept, in bytes.
const keptHead = 8 << 10

// keptOf is what is kept of an answer: its head as it would be written, and the
// beginning of its body. A body that breaks off is the receiver's loss.
func keptOf(response *http.Response) []byte {
	var header bytes.Buffer
	response.Header.Write(&header) // a buffer takes all
	head := fmt.Sprintf("HTTP/1.1 %03d\r\n", response.StatusCode)
	for line := range strings.Lines(header.String()) {
		if len(head)+len(line) > keptHead {
			break
		}
		head += line
	}
	answer := []byte(head + "\r\n")
	if response.ContentLength == 0 {
		return answer
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, keptAnswer))
	return append(answer, body...)
}

// readKept takes apart what keptOf made.
func readKept(answer []byte) (header http.Header, body []byte) {
	header = http.Header{}
	head, body, whole := bytes.Cut(answer, []byte("\r\n\r\n"))
	if !whole || !bytes.HasPrefix(head, []byte("HTTP/1.1 ")) {
		return header, answer // kept before heads were
	}
	for i, line := range strings.Split(string(head), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok && i > 0 {
			header[name] = append(header[name], value)
		}
	}
	return header, body
}
