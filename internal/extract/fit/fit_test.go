package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeDocuments writes labelled letters of several makers to a directory.
func writeDocuments(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var truth []string
	for i, maker := range []string{"Alder", "Birch", "Cedar", "Dogwood"} {
		name := maker + "__letter.txt"
		company := []string{"Foxglove Bakery LLC", "Harrow Joinery Limited", "Larkspur Mills Inc", "Sorrel Foods Limited"}[i]
		letter := fmt.Sprintf("Named Insured: %s\nAddress: %d Mill Street, Springfield, IL 62701\nPeriod: 1 March 2026 to 1 March 2027\n", company, i+1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(letter), 0o600); err != nil {
			t.Fatal(err)
		}
		truth = append(truth, fmt.Sprintf(`%q: {"facts": {"company_name": %q, "website": "www.absent.example"}, "options": {"policy_inception_date": "2026-03-01"}}`, name, company))
	}
	text := "{" + strings.Join(truth, ",") + "}"
	if err := os.WriteFile(filepath.Join(dir, "truth.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFit checks that the figures are those of the documents, and the same each time.
func TestFit(t *testing.T) {
	t.Parallel()
	dir := writeDocuments(t)
	measured := func() string {
		var out strings.Builder
		if err := run(t.Context(), &out, io.Discard, []string{dir}, nil, false); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := measured()
	if second := measured(); first != second {
		t.Errorf("two runs print different figures:\n%s\n%s", first, second)
	}
	if !strings.HasPrefix(first, "4 documents of 4 makers\n") {
		t.Errorf("got %s", first)
	}
	var lines []string
	for line := range strings.Lines(first) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{"names 4 100.0 % 100.0 %", "dates 4 100.0 % 100.0 %", "contacts 4 100.0 % 0.0 %", "contacts 4 0 0 0 0 0"} {
		if !strings.Contains(strings.Join(lines, "\n"), "\n"+want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
}

// TestFoldsHoldEachMakerOnce checks that each maker is left out once, however many makers there are.
func TestFoldsHoldEachMakerOnce(t *testing.T) {
	for n, wantFolds := range map[int]int{0: 0, 3: 3, maxFolds: maxFolds, 5*maxFolds + 3: maxFolds} {
		var makers []string
		for i := range n {
			makers = append(makers, fmt.Sprintf("maker %03d", i))
		}
		folds := foldsOf(makers)
		if left := slices.Sorted(slices.Values(slices.Concat(folds...))); len(folds) != wantFolds || !slices.Equal(left, makers) {
			t.Errorf("%d makers: got %d folds of the makers %q", n, len(folds), left)
		}
	}
}

func TestTruthIsNeeded(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), io.Discard, io.Discard, []string{t.TempDir()}, nil, false); err == nil || !strings.Contains(err.Error(), "no truth of") {
		t.Errorf("error %v", err)
	}
}

func TestTextContainsStatedValues(t *testing.T) {
	for stated, text := range map[string]string{
		"14500000.00": "Turnover: £14,500,000", "2026-03-01": "from 1 March 2026", "2027-11-05": "11/05/2027", "Foxglove Bakery": "FOXGLOVE-BAKERY",
	} {
		if !contains("Renewal. "+text+".", stated) || contains("Renewal.", stated) {
			t.Errorf("%q in %q", stated, text)
		}
	}
}
