package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestDataPackages checks that a data package shows only the fields that it
// lists, until it is removed.
func TestDataPackages(t *testing.T) {
	t.Parallel()
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	txID := s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	initial := s.DataPackages()
	added := DataPackage{ID: s.TenantName + "-us-c0002", Kind: "company", Fields: []string{"company_name"}}
	s.AddDataPackage(added)
	checkEqual(t, "data packages", s.DataPackages(), append(initial, added))
	path := "/data/v2/" + added.ID + "/" + txID + "?idType=transaction"
	if code, body := getAPI(t, s, path); code != http.StatusOK || !strings.Contains(body, "Foxglove") || strings.Contains(body, "year_founded") {
		t.Errorf("data of the added package: got %d %s, want 200 with company_name only", code, body)
	}
	s.RemoveDataPackage(added.ID)
	checkEqual(t, "data packages", s.DataPackages(), initial)
	if code, body := getAPI(t, s, path); code == http.StatusOK {
		t.Errorf("data of the removed package: got %d %s, want an error", code, body)
	}
}

// TestContents checks that a data package can have a content under any ID, and that
// an outcome sets its values, nested ones too.
func TestContents(t *testing.T) {
	t.Parallel()
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	s.SetOutcome(Outcome{
		Match: Match{Filename: "fleet.txt"},
		Packages: map[string]any{
			ContentAuto:     map[string]any{"vehicles": []any{map[string]any{"make": "Ford", "cost_new": "41,000.00"}}},
			ContentProperty: []any{map[string]any{"year_built": "1987"}, map[string]any{"year_built": "2004"}},
			ContentCommon:   map[string]any{"target_premium": "12,500.00", "100_pct_limit": map[string]any{"EACH OCCURRENCE": "1,000,000.00"}},
		},
	})
	s.SetOutcome(Outcome{Match: Match{Filename: "raw.txt"}, Raw: true, Packages: map[string]any{ContentAuto: map[string]any{"vehicles": "many"}}})
	if set := s.Outcomes(); len(set) != 2 || !set[0].Raw || set[1].Raw || len(set[1].Packages) != 3 {
		t.Errorf("outcomes: got %+v, want those that were set", set)
	}
	s.AddDataPackage(DataPackage{ID: "Carrier.Auto", Content: ContentAuto})
	txID, raw := s.Submit("fleet.txt", []byte(letter)), s.Submit("raw.txt", []byte(letter))
	for _, id := range []string{txID, raw} {
		s.Await("universal_submit:completed", id, time.Minute)
	}
	for path, want := range map[string]string{
		"Carrier.Auto/" + txID:                           `"make":"Ford"`,
		s.ContentPackageID(ContentAuto) + "/" + txID:     `"cost_new":"41,000.00"`,
		s.ContentPackageID(ContentProperty) + "/" + txID: `"year_built":"2004"`,
		s.ContentPackageID(ContentCommon) + "/" + txID:   `"100_pct_limit":{"EACH OCCURRENCE":"1,000,000.00"}`,
		"Carrier.Auto/" + raw:                            `"vehicles":"many"`,
	} {
		if code, body := getAPI(t, s, "/data/v5/"+path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("data of %s: got %d %s, want 200 with %s", path, code, body, want)
		}
	}
}
