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
