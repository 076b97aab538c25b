package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
)

// Stream returns an iterator over the tenant's events: first all since the
// tenant was created, then new ones as they happen. It ends when the loop breaks
// or the test ends. If the connection to the server fails, so does the test.
func (s *Sandbox) Stream() iter.Seq[Event] {
	s.t.Helper()
	return func(yield func(Event) bool) {
		s.t.Helper()
		if err := s.readStream(yield); err != nil && s.context().Err() == nil {
			s.t.Fatalf("understudy: stream: %v", err)
		}
	}
}

func (s *Sandbox) readStream(yield func(Event) bool) error {
	request, err := s.server.control.Request(s.context(), http.MethodGet, s.tenantPath("/stream"), "", nil)
	if err != nil {
		return err
	}
	response, err := s.server.control.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue // the other lines repeat the data, or are empty
		}
		var e Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err
		}
		if !yield(e) {
			return nil
		}
	}
}
