package storage

import "time"

// ForgetTest makes Ready write again.
func (s *Store) ForgetTest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.testedAt = time.Time{}
}
