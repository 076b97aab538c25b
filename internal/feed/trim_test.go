package feed_test

import (
	"testing"
	"time"

	"understudy.example/internal/feed"
	"understudy.example/internal/server/servertest"
)

// TestTrim checks that the newest 10,000 states of each tenant are kept.
func TestTrim(t *testing.T) {
	s := servertest.New(t)
	s.Exec(`
		insert into feed (tenant_id, at, event, data)
		select id, timestamptz '2026-03-02 09:00Z' + n * interval '1 second', 'test:written', '{}'
		from tenants, generate_series(1, case name when 'acme' then 10300 else 5 end) n
		where name in ('acme', 'globex')`)
	oldest := time.Date(2026, 3, 2, 9, 0, 1, 0, time.UTC)
	for range 2 {
		if err := feed.Trim(t.Context(), s.DB); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]struct {
			states int
			oldest time.Time
		}{
			"acme":   {10_000, oldest.Add(300 * time.Second)},
			"globex": {5, oldest},
		} {
			states := servertest.Value[int](s, "select count(*) from feed where tenant_id = $1", s.TenantID(name))
			first := servertest.Value[time.Time](s, "select min(at) from feed where tenant_id = $1", s.TenantID(name))
			if states != want.states || !first.Equal(want.oldest) {
				t.Errorf("%s has %d states from %s on, want %d from %s on", name, states, first, want.states, want.oldest)
			}
		}
	}
}
