package enrich

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

// TestLocationMemory checks that a location takes little memory: a report can have
// 10,000 locations, which the server enriches between the calls of clients.
func TestLocationMemory(t *testing.T) {
	rows := make([][]field.Value, 1_000)
	for i := range rows {
		for name, text := range map[string]string{
			"location_id": fmt.Sprint(i), "location_address": fmt.Sprint(i, " Mill Street"), "location_city": "Springfield",
			"location_state": "IL", "location_postal_code": "62701", "building_value": "1000000",
		} {
			rows[i] = append(rows[i], field.Value{Field: name, Text: text, Score: 0.9, Evidence: "a.csv"})
		}
	}
	var before, after runtime.MemStats
	enrichLocations(rows[:1], address.Address{}) // loads the tables
	runtime.ReadMemStats(&before)
	enrichLocations(rows, address.Address{})
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(rows)); each > 5_000 {
		t.Errorf("a location allocates %d bytes, want at most 5,000", each)
	}
}

// TestEntriesCostLittle checks that an entry of a list is not compared with each of the others.
func TestEntriesCostLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 3_000)
	values := make([]field.Value, 20_000)
	for i := range values {
		values[i] = field.Value{Field: "company_description", Text: long + fmt.Sprint(i%15_000), Score: 0.9}
	}
	r := newRecord(1)
	begun := time.Now()
	r.addExtracted(values)
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("20,000 entries took %s, want about 0.1 s", took)
	}
	r.addExtracted(values[:10])
	if list, _ := r.Values["company_description"].([]string); len(list) != 15_000 {
		t.Errorf("got %d entries, want 15,000", len(list))
	}
}
