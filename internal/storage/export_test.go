package storage

import "time"

// MigrateFiles is Migrate with other migrations.
var MigrateFiles = migrate

// ForgetTest makes Ready write again.
func (s *Store) ForgetTest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.testedAt = time.Time{}
}

// AgeProbe makes the probe in progress appear to have begun that much earlier.
func (s *Store) AgeProbe(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probingSince = s.probingSince.Add(-by)
}
