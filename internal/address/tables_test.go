package address

import (
	"runtime"
	"strings"
	"testing"
)

// firstUse is the number of bytes that the first use of the tables allocates. It is
// measured before any test uses them.
var firstUse = func() uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Locate(Complete(Parse("1 Main Street, Springfield, IL 62701")))
	Locate(Complete(Parse("1 Rue de la Paix, 75002 Paris, France")))
	Locate(Complete(Parse("1 High Street, Leeds, LS1 4AP")))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}()

// TestTablesAreSearchedAsTheyAreEmbedded checks that the first use of the tables does
// not decode them, because each worker process would have to decode them again.
func TestTablesAreSearchedAsTheyAreEmbedded(t *testing.T) {
	if firstUse > 1<<20 {
		t.Errorf("the first use of the tables allocates %d bytes, want at most 1 MiB", firstUse)
	}
}

func TestTablesAreSorted(t *testing.T) {
	for name, table := range map[string]table{"us": usCities, "zips": zipCodes, "uk": outcodes, "world": worldTowns} {
		last := ""
		for line := range strings.Lines(string(table)) {
			first, _, _ := strings.Cut(line, "\t")
			if first < last {
				t.Fatalf("%s: %q follows %q", name, first, last)
			}
			last = first
		}
		if table.first(last) == nil || table.first("0") != nil || table.first("zzzz") != nil {
			t.Errorf("%s: the search does not find the last line, or finds a line that does not exist", name)
		}
	}
}

func TestZIPsHaveCities(t *testing.T) {
	for line := range strings.Lines(string(zipCodes)) {
		if code, _, _ := strings.Cut(line, "\t"); cityOfZIP(code).key == "" {
			t.Fatalf("ZIP code %s has no city", code)
		}
	}
}
