package server_test

import (
	"testing"
	"time"

	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

func TestAges(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "90d": 90 * day, "1d12h": 36 * time.Hour, "36h": 36 * time.Hour, "10s": 10 * time.Second, "0d": 0, "36500d": 36500 * day,
	} {
		var age server.Age
		if err := age.UnmarshalText([]byte(text)); err != nil || time.Duration(age) != want {
			t.Errorf("%q: %v, %v, want %v", text, time.Duration(age), err, want)
		}
	}
	for _, text := range []string{"", "90", "-1d", "-1h", "1d-1h", "d", "1.5d", "36501d", "99999999d", "1w", "1h2d"} {
		var age server.Age
		if err := age.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: %v, want an error", text, time.Duration(age))
		}
	}
}

// TestServerDeletesExpiredSubmissions checks the flags of a server that is started without
// test code.
func TestServerDeletesExpiredSubmissions(t *testing.T) {
	t.Parallel()
	p := servertest.Start(t, "--data-dir", servertest.DataDir(t), "--keep-submissions=1s", "KEEP_UPLOADS=1s")
	s := p.Server()
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	tenant.SubmitFile("a.txt", servertest.Letter)
	tenant.Announce("b.txt")
	servertest.Until(t, "the submissions are deleted", func() bool {
		return tenant.Control("GET ", "").Get(t, "usage", "submissions") == 0.0
	})
	if left := tenant.Control("GET ", "").Get(t, "counts", "reports"); left != 0.0 {
		t.Errorf("%v reports are left", left)
	}
}
