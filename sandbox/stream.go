package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
)

// Stream yields all that happens to the tenant, from its making on and as it
// happens, until the loop is left or the test ends. When the server can't be
// followed, the test fails.
func (s *Sandbox) Stream() iter.Seq[Event] {
	s.t.Helper()
	return func(yield func(Event) bool) {
		s.t.Helper()
		if err := s.follow(yield); err != nil && s.t.Context().Err() == nil {
			s.t.Fatalf("understudy: stream: %v", err)
		}
	}
}

func (s *Sandbox) follow(yield func(Event) bool) error {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.server.control+"/control/v1"+s.path("/stream"), nil)
	if err != nil {
		return err
	}
	if s.server.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.server.token)
	}
	got, err := s.server.client.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(got.Body)
		return fmt.Errorf("%s: %s", got.Status, body)
	}
	for lines := bufio.NewReader(got.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue // the rest is in the data, or nothing
		}
		var e Event
		if err := unmarshal([]byte(data), &e); err != nil {
			return err
		}
		if !yield(e) {
			return nil
		}
	}
}
