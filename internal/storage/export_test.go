package storage

import (
	"testing"
	"time"
)

// MigrateFiles is Migrate with other migrations.
var MigrateFiles = migrate

// LockMigrations exports lockMigrations to the tests.
var LockMigrations = lockMigrations

// SetMigrationPatience changes the time after which a start logs that it is waiting, until the test
// ends.
func SetMigrationPatience(t testing.TB, patience time.Duration) {
	before := migrationPatience
	migrationPatience = patience
	t.Cleanup(func() { migrationPatience = before })
}

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
