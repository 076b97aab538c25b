package extract

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
)

// TestCalibration reads the documents of testdata/calibration, all invented,
// and compares what they yield with what they state. Each file holds parts
// ("-- mail.eml --" as it would be submitted, "-- sheet NAME --" with cells
// between bars, "-- form NAME --" with fields of a form, "-- text NAME --") and
// after "-- want --" the truth: "field: value" ("a; b" for a list, "a | b" for
// either, nothing for no value), "locations: n", and the rows in order. What
// is not named is not compared. A few values may be wrong: the weights that
// decide are fitted to other documents.
func TestCalibration(t *testing.T) {
	files, err := filepath.Glob("testdata/calibration/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	right, wrong, absent := 0, 0, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts, want := calibrated(t, string(content))
			e := understand(t, parts...)
			all := append(append([]field.Value{}, e.Facts...), e.Options...)
			rows := 0
			compare := func(where, name, text string, values []field.Value) {
				got := stated(values, name)
				switch {
				case agrees(name, text, got):
					right++
				case got == "":
					absent++
					t.Logf("%s%s: nothing, want %q", where, name, text)
				default:
					wrong++
					t.Logf("%s%s: %q, want %q", where, name, got, text)
				}
			}
			for line := range strings.Lines(want) {
				name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
				text = strings.TrimSpace(text)
				switch name {
				case "":
				case "locations":
					if n, _ := strconv.Atoi(text); n != len(e.Locations) {
						wrong++
						t.Logf("%d locations, want %d", len(e.Locations), n)
					}
				case "location":
					rows++
					var row []field.Value
					if rows <= len(e.Locations) {
						row = e.Locations[rows-1]
					}
					for cell := range strings.SplitSeq(text, ";") {
						name, text, _ := strings.Cut(strings.TrimSpace(cell), "=")
						compare("row "+strconv.Itoa(rows)+" ", name, text, row)
					}
				default:
					compare("", name, text, all)
				}
			}
		})
	}
	t.Logf("%d right, %d wrong, %d missing", right, wrong, absent)
	if total := right + wrong + absent; wrong*200 > total || absent*100 > total {
		t.Errorf("%d of %d values are wrong and %d missing, want at most 0.5 %% and 1 %%", wrong, total, absent)
	}
}

// calibrated reads the parts and the truth of a file.
func calibrated(t *testing.T, file string) (parts []content.Part, want string) {
	t.Helper()
	for section := range strings.SplitSeq("\n"+file, "\n-- ") {
		head, body, _ := strings.Cut(section, " --\n")
		kind, name, _ := strings.Cut(strings.TrimSpace(head), " ")
		switch {
		case kind == "":
		case kind == "want":
			want = body
		case kind == "sheet":
			block := grid(name, strings.Split(strings.TrimRight(body, "\n"), "\n")...)
			if len(parts) > 0 && parts[0].Format == content.XLSX {
				parts[0].Blocks = append(parts[0].Blocks, block)
				continue
			}
			parts = append(parts, content.Part{Name: "book.xlsx", Format: content.XLSX, Blocks: []content.Block{block}})
		case kind == "form":
			part := content.Part{Name: name, Format: content.PDF}
			for line := range strings.Lines(body) {
				label, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " = ")
				part.Blocks = append(part.Blocks, content.Block{Label: label, Value: strings.ReplaceAll(value, `\n`, "\n"), Place: content.Place{Part: name, Page: 1}})
			}
			parts = append(parts, part)
		case kind == "text":
			parts = append(parts, text(name, body))
		default:
			read, err := document.Read(context.Background(), kind, bytes.NewReader([]byte(body)), int64(len(body)))
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, read...)
		}
	}
	return parts, want
}

// agrees compares as people do: letters and digits without case, the answer
// may hold more than the truth, money by its amount, a list in any order.
func agrees(name, want, got string) bool {
	if want == "" || got == "" {
		return want == got
	}
	if either := strings.Split(want, " | "); len(either) > 1 {
		return slices.ContainsFunc(either, func(w string) bool { return agrees(name, w, got) })
	}
	if candidate.Kinds[name] == field.Money || recognise.MoneyColumns[name] {
		w, err := strconv.ParseFloat(want, 64)
		g, gotErr := strconv.ParseFloat(strings.ReplaceAll(got, ",", ""), 64)
		return err == nil && gotErr == nil && math.Abs(w-g) < 0.005
	}
	if candidate.Kinds[name].IsList() {
		w, g := strings.Split(bareList(want), ";"), strings.Split(bareList(got), ";")
		slices.Sort(w)
		slices.Sort(g)
		return slices.Equal(w, g)
	}
	if candidate.Kinds[name] == field.Text && candidate.Kinds[name] != field.Indicator && len(want) > 2 {
		return strings.Contains(words.BareKey(got), words.BareKey(want)) && len(got) < 2*len(want)+10
	}
	return words.BareKey(want) == words.BareKey(got)
}

func bareList(text string) string {
	entries := strings.Split(text, ";")
	for i, e := range entries {
		entries[i] = words.BareKey(e)
	}
	return strings.Join(entries, ";")
}
