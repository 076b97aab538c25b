package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPackages: a data package shows the fields that it lists, until it is
// dropped.
func TestPackages(t *testing.T) {
	t.Parallel()
	s := Start(t, WithSettings(Settings{Pacing: Immediate()}))
	txID := s.Submit("letter.txt", []byte(letter))
	s.Await("universal_submit:completed", txID, time.Minute)
	made := s.Packages()
	another := Package{ID: s.Tenant + "-us-c0002", Kind: "company", Fields: []string{"company_name"}}
	s.AddPackage(another)
	equal(t, "packages", s.Packages(), append(made, another))
	path := "/data/v2/" + another.ID + "/" + txID + "?idType=transaction"
	if code, body := read(t, s, path); code != http.StatusOK || !strings.Contains(body, "Foxglove") || strings.Contains(body, "year_founded") {
		t.Errorf("%d %s", code, body)
	}
	s.DropPackage(another.ID)
	equal(t, "packages", s.Packages(), made)
	if code, body := read(t, s, path); code == http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
}
