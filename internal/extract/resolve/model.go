package resolve

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed groups.tsv
var groupTable string

//go:embed model.tsv
var modelTable string

// groups holds the group of the fields that are listed in groups.tsv.
var groups = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(groupTable) {
		group, fields, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(group, "#") {
			continue
		}
		for f := range strings.FieldsSeq(fields) {
			m[f] = group
		}
	}
	return m
}()

// Group returns the group of fields that share their weights, or the given one if the field
// is in none.
func Group(field, otherwise string) string {
	return cmp.Or(groups[field], otherwise)
}

// Shared is the group whose weights count for groups without weights of their own.
const Shared = "all"

// Model holds the weights of the features of each group, the offset of each field, and the
// threshold of each group.
type Model struct {
	Weights    map[string]*Features
	Offsets    map[string]float64
	Thresholds map[string]float64
}

// Fitted is the model in model.tsv.
var Fitted = func() *Model {
	m, err := Parse(modelTable)
	if err != nil {
		panic(err)
	}
	return m
}()

// Parse reads a table of lines "weight GROUP FEATURE NUMBER", "offset FIELD - NUMBER" and
// "threshold GROUP - NUMBER", separated by tabs.
func Parse(table string) (*Model, error) {
	m := &Model{Weights: map[string]*Features{Shared: {}}, Offsets: map[string]float64{}, Thresholds: map[string]float64{}}
	number := 0
	for line := range strings.Lines(table) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("line %d: want four cells, got %q", number, line)
		}
		x, err := strconv.ParseFloat(cells[3], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		switch cells[0] {
		case "weight":
			feature := slices.Index(names[:], cells[2])
			if feature < 0 {
				return nil, fmt.Errorf("line %d: unknown feature %q", number, cells[2])
			}
			if m.Weights[cells[1]] == nil {
				m.Weights[cells[1]] = &Features{}
			}
			m.Weights[cells[1]][feature] = x
		case "offset":
			m.Offsets[cells[1]] = x
		case "threshold":
			m.Thresholds[cells[1]] = x
		default:
			return nil, fmt.Errorf("line %d: unknown kind %q", number, cells[0])
		}
	}
	return m, nil
}

// Write writes the table that Parse reads. Numbers are rounded to two decimals.
func (m *Model) Write(w io.Writer) error {
	var text strings.Builder
	text.WriteString("# Written by go run ./internal/extract/fit -write. Weights are logarithms of odds: a feature\n# with weight 0.7 doubles the odds that a value is right.\n")
	line := func(kind, name, feature string, x float64) {
		fmt.Fprintf(&text, "%s\t%s\t%s\t%.2f\n", kind, name, feature, x+0) // no "-0.00"
	}
	for _, group := range slices.Sorted(maps.Keys(m.Weights)) {
		for i, x := range m.Weights[group] {
			if x >= 0.005 || x <= -0.005 {
				line("weight", group, names[i], x)
			}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(m.Offsets)) {
		if x := m.Offsets[field]; x >= 0.005 || x <= -0.005 {
			line("offset", field, "-", x)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(m.Thresholds)) {
		line("threshold", group, "-", m.Thresholds[group])
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Threshold returns the lowest probability with which a value is given.
func (m *Model) Threshold(group string) float64 {
	if t, ok := m.Thresholds[group]; ok {
		return t
	}
	return m.Thresholds[Shared]
}

// evidence returns the logarithm of the odds of a reading without others.
func (m *Model) evidence(r *Reading) float64 {
	weights := m.Weights[r.Group]
	if weights == nil {
		weights = m.Weights[Shared]
	}
	return min(max(r.Features.Dot(weights)+m.Offsets[r.Field], -12), 12)
}

// Alone returns the probability of a reading that competes with no other.
func (m *Model) Alone(r *Reading) float64 { return sigmoid(m.evidence(r)) }
