package servertest

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// Dial connects to the API and sends the text.
func (s *Server) Dial(text string) *net.TCPConn {
	s.T.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { connection.Close() })
	if _, err := io.WriteString(connection, text); err != nil {
		s.T.Fatal(err)
	}
	return connection.(*net.TCPConn)
}

// RequestHead returns the head of a request of the demo tenant acme with a body
// of the length.
func RequestHead(line, token, contentType string, length int) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Api-Key: acme-api-key\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		line, token, contentType, length)
}
