package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// valueGroup is the values of the company or of the policy.
type valueGroup struct {
	Name, Key string
	Values    []shownValue
	Estimated []shownValue // values that follow from others
	Missing   []shownValue // fields without a value
}

// shownValue is a field with its value.
type shownValue struct {
	Field    string
	Rows     int    // of the table that belong to the field, if this is the first one; otherwise 0
	Key      string // of the form, such as facts.company_name
	Text     string // of the document
	Current  string // of the report; lines for a list
	Kind     string // of Current: "" for a text, "list", or "codes"
	Score    string
	Evidence string
	Where    string // Evidence, without the name of the file
	Link     string // to the evidence; "" if there is none in the document
	Selected bool   // its evidence is shown
}

// loadValues loads the values of the company and the policy: those extracted, and those
// of the report that follow from them.
func (v *visit) loadValues(p *submissionPage) error {
	packageID, err := v.packageOf("company")
	if err != nil || packageID == "" {
		return err
	}
	var inquiry struct {
		Data   struct{ Facts, Options json.RawMessage }
		Scores struct{ Facts, Options map[string]string }
	}
	query := url.Values{"version": {"2"}, "package": {packageID}}
	if err := v.getInto(v.txPath+"/inquiry?"+query.Encode(), &inquiry); err != nil {
		return err
	}
	var older struct{ Data map[string]json.RawMessage } // has some fields that version 2 does not show
	if p.Edit {
		query.Set("version", "1")
		if err := v.getInto(v.txPath+"/inquiry?"+query.Encode(), &older); err != nil {
			return err
		}
	}
	var extracted extraction
	if p.Extraction != nil {
		extracted = *p.Extraction
	}
	for _, g := range []struct {
		name, key string
		report    json.RawMessage
		others    map[string]json.RawMessage // values of fields that the report does not have
		scores    map[string]string
		values    []extractedValue
	}{
		{"Company", "facts", inquiry.Data.Facts, older.Data, inquiry.Scores.Facts, extracted.Facts},
		{"Policy", "options", inquiry.Data.Options, nil, inquiry.Scores.Options, extracted.Options},
	} {
		group, err := v.group(g.name, g.key, p.Filename, g.report, g.others, g.scores, g.values, p.kept)
		if err != nil {
			return err
		}
		p.Groups = append(p.Groups, group)
	}
	return nil
}

// group sorts the fields of a report by where their values come from. The others are values
// of fields that the report does not have; those extracted from the document can be
// corrected too.
func (v *visit) group(name, key, filename string, report json.RawMessage, others map[string]json.RawMessage, scores map[string]string, values []extractedValue, kept *keptOutcome) (valueGroup, error) {
	g := valueGroup{Name: name, Key: key}
	fields, err := orderedFields(report)
	if err != nil {
		return g, err
	}
	current := maps.Clone(others)
	if current == nil {
		current = map[string]json.RawMessage{}
	}
	for _, f := range fields {
		current[f.name] = f.value
	}
	if kept != nil {
		for name := range current {
			if set := kept.section(key)[name]; set != nil {
				current[name] = set
			}
		}
	}
	seen := map[string]bool{}
	entries := map[string]int{}
	for i, value := range values {
		entry, _, isEntry := entryText(value.Text)
		if isEntry {
			value.Text = entry
			if entries[value.Field]++; entries[value.Field] > maxEntries {
				continue
			}
		}
		link := v.evidenceLink(fmt.Sprintf("%s.%d", key, i), value.Evidence)
		shown := shownValue{
			Field: value.Field, Key: key + "." + value.Field, Text: value.Text, Score: scoreText(value.Score), Evidence: value.Evidence,
			Where: where(value.Evidence, filename), Link: link, Selected: v.Query.Get("value") == fmt.Sprintf("%s.%d", key, i),
		}
		if text, ok := current[value.Field]; ok && !seen[value.Field] {
			shown.Current, shown.Kind = editable(value.Field, text)
		} else {
			shown.Key = "" // another value of the field, or one that only version 5 shows
		}
		seen[value.Field] = true
		g.Values = append(g.Values, shown)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if more := entries[name] - maxEntries; more > 0 {
			g.Values = append(g.Values, shownValue{Field: name, Text: fmt.Sprintf("%d more entries, which a version 5 inquiry returns", more)})
		}
	}
	countRows(g.Values)
	for _, f := range fields {
		if seen[f.name] {
			continue
		}
		shown := shownValue{Field: f.name, Key: key + "." + f.name, Score: scores[f.name]}
		shown.Current, shown.Kind = editable(f.name, current[f.name])
		if shown.Current == "" {
			g.Missing = append(g.Missing, shown)
			continue
		}
		g.Estimated = append(g.Estimated, shown)
	}
	return g, nil
}

// countRows sets the number of rows in which values of one field follow each other.
func countRows(values []shownValue) {
	first := 0
	for i := range values {
		if values[i].Field != values[first].Field {
			first = i
		}
		values[first].Rows++
	}
}

// maxEntries is the number of entries of each list that a page shows.
const maxEntries = 50

// entryText returns an entry of a list, which is a JSON object, as readable text. It also
// returns the longest value that contains a letter, by which the entry can be found in the
// document: amounts and dates have another form there.
func entryText(text string) (shown, longest string, ok bool) {
	if !strings.HasPrefix(text, `{"`) {
		return "", "", false
	}
	fields, err := orderedFields(json.RawMessage(text))
	if err != nil {
		return "", "", false
	}
	var parts []string
	for _, f := range fields {
		value := unquoted(f.value)
		parts = append(parts, strings.ReplaceAll(f.name, "_", " ")+": "+value)
		if len(value) > len(longest) && strings.ContainsFunc(value, unicode.IsLetter) {
			longest = value
		}
	}
	return strings.Join(parts, "; "), longest, true
}

// where returns the evidence as it is shown beside the document.
func where(evidence, filename string) string {
	if rest, inFile := strings.CutPrefix(evidence, filename+", "); inFile {
		return rest
	}
	return evidence
}

// evidenceLink returns the URL that shows the evidence of a value.
func (v *visit) evidenceLink(value, evidence string) string {
	if evidence == "" || evidence == "given by an outcome" {
		return ""
	}
	query := url.Values{"value": {value}}
	for _, name := range []string{"edit", "loc"} {
		if given := v.Query.Get(name); given != "" {
			query.Set(name, given)
		}
	}
	return v.URL.Path + "?" + query.Encode() + "#evidence"
}

// selected returns the value whose evidence is to be shown; nil if there is none.
func (v *visit) selected(p *submissionPage) *extractedValue {
	path := strings.Split(v.Query.Get("value"), ".")
	if p.Extraction == nil || len(path) < 2 {
		return nil
	}
	values := map[string][]extractedValue{"facts": p.Extraction.Facts, "options": p.Extraction.Options}[path[0]]
	if row := parseIndex(path[1]) - max(parseIndex(v.Query.Get("loc")), 0); path[0] == "locations" && len(path) == 3 && row >= 0 && row < len(p.Extraction.Locations) {
		values = p.Extraction.Locations[row]
	}
	if i := parseIndex(path[len(path)-1]); i >= 0 && i < len(values) {
		wanted := values[i]
		if _, longest, ok := entryText(wanted.Text); ok {
			wanted.Text = longest
		}
		return &wanted
	}
	return nil
}

// parseIndex returns the number in a text; -1 if the text is not a number.
func parseIndex(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// namedValue is a member of a JSON object.
type namedValue struct {
	name  string
	value json.RawMessage
}

// orderedFields returns the members of a JSON object in their order.
func orderedFields(object json.RawMessage) (fields []namedValue, err error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		f := namedValue{name: fmt.Sprint(name)}
		if err := decoder.Decode(&f.value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// editable returns a value as the text of a form's field, and its kind: each line of a
// list is an entry, and begins with the code if it is one of codes.
func editable(name string, value json.RawMessage) (text, kind string) {
	var list []any
	if json.Unmarshal(value, &list) == nil && strings.HasPrefix(string(value), "[") {
		var entries []string
		for _, entry := range list {
			if code, ok := entry.(map[string]any); ok {
				entry = strings.TrimSpace(fmt.Sprint(code["code"], " ", code["desc"]))
			}
			entries = append(entries, fmt.Sprint(entry))
		}
		kind = "list"
		if strings.Contains(name, "naics") || strings.Contains(name, "_sic") {
			kind = "codes"
		}
		return strings.Join(entries, "\n"), kind
	}
	if json.Unmarshal(value, &text) == nil {
		return text, ""
	}
	return string(value), ""
}

// packageOf returns the id of the tenant's first package of a kind with the fields of
// version 2; "" if there is none.
func (v *visit) packageOf(kind string) (string, error) {
	packages, err := v.packages()
	for _, p := range packages {
		if p.Kind == kind && p.Content == "" && p.Fields == nil {
			return p.ID, err
		}
	}
	return "", err
}

// dataPackage is a data package as the control API returns it.
type dataPackage struct {
	ID, Kind, Content string
	Fields            []string
}

func (v *visit) packages() ([]dataPackage, error) {
	var list struct{ Packages []dataPackage }
	err := v.getInto(v.path("/packages"), &list)
	return list.Packages, err
}

// scoreText returns a score from 0 to 1 as a whole percentage.
func scoreText(score float64) string { return strconv.Itoa(int(100*score+0.5)) + " %" }
