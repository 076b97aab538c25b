package grade

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/field"
)

// Count holds the number of stated and extracted values of a field.
type Count struct {
	Stated int
	Right  int
	Wrong  int // extracted, but different from the stated value or a known mistake
	Missed int // stated, but not extracted or extracted wrong
	Other  int // extracted, but the truth does not mention the field: neither right nor wrong
}

// Precision returns the share of right values among the extracted ones that are
// right or wrong, from 0 to 1. It is 1 if there are none.
func (c Count) Precision() float64 { return share(c.Right, c.Right+c.Wrong) }

// Recall returns the share of right values among the stated ones, from 0 to 1. It
// is 1 if there are none.
func (c Count) Recall() float64 { return share(c.Right, c.Stated) }

// Plus returns the sum of two counts.
func (c Count) Plus(d Count) Count {
	return Count{c.Stated + d.Stated, c.Right + d.Right, c.Wrong + d.Wrong, c.Missed + d.Missed, c.Other + d.Other}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Miss is a stated value that was not extracted, or a value that was extracted
// wrong.
type Miss struct {
	File, Field string
	Stated      string // empty for a known mistake
	Extracted   string // empty if nothing was extracted
	Where       string // where in the document the extracted value was found
}

// Tally sums counts over documents. Its zero value is ready for use.
type Tally struct {
	Counts map[string]Count // by path: facts.company_name, locations.building_value, locations.rows
	Misses []Miss
}

// Add counts the values extracted from one file.
func (t *Tally) Add(file string, truth Document, facts, options []field.Value, locations [][]field.Value) {
	c := &comparison{tally: t, file: file, truth: truth}
	c.addSection("facts", "facts", truth.Facts, facts)
	c.addSection("options", "options", truth.Options, options)
	c.addLocations(locations)
}

// comparison compares one document and adds the counts to a tally.
type comparison struct {
	tally *Tally
	file  string
	truth Document
}

func (c *comparison) addCount(key string, count Count) {
	if c.tally.Counts == nil {
		c.tally.Counts = map[string]Count{}
	}
	c.tally.Counts[key] = c.tally.Counts[key].Plus(count)
}

func (c *comparison) addMiss(key, stated string, value field.Value) {
	c.tally.Misses = append(c.tally.Misses, Miss{File: c.file, Field: key, Stated: stated, Extracted: value.Text, Where: value.Evidence})
}

// addSection compares the fields of one section or row. key is the prefix of the
// keys of Counts, path the prefix of the paths in Also and Soft.
func (c *comparison) addSection(key, path string, stated map[string]Texts, extracted []field.Value) {
	byField := map[string][]field.Value{}
	for _, value := range extracted {
		byField[value.Field] = append(byField[value.Field], value)
	}
	for name := range byField {
		if len(stated[name]) == 0 {
			c.addUnstated(key+"."+name, path+"."+name, name, byField[name])
		}
	}
	for name, texts := range stated {
		if kindOf[name].IsList() {
			c.addList(key+"."+name, path+"."+name, name, texts, byField[name])
		} else if len(texts) > 0 {
			c.addSingle(key+"."+name, path+"."+name, name, texts[0], byField[name])
		}
	}
}

// addSingle compares a stated field that has one value.
func (c *comparison) addSingle(key, path, name, stated string, extracted []field.Value) {
	if len(extracted) == 0 {
		c.addCount(key, Count{Stated: 1, Missed: 1})
		c.addMiss(key, stated, field.Value{})
		return
	}
	value := extracted[0]
	switch {
	case matchesStated(name, stated, value.Text) || matchesAny(name, c.truth.Also[path], value.Text):
		c.addCount(key, Count{Stated: 1, Right: 1})
	case matchesAny(name, c.truth.Soft[path], value.Text):
	default:
		c.addCount(key, Count{Stated: 1, Missed: 1, Wrong: 1})
		c.addMiss(key, stated, value)
	}
}

// addList compares a stated list. Each stated entry must be among the extracted
// ones. Further extracted entries are not wrong, unless no entry is right.
func (c *comparison) addList(key, path, name string, stated Texts, extracted []field.Value) {
	var texts []string
	for _, value := range extracted {
		texts = append(texts, value.Text)
	}
	all := strings.Join(texts, "; ")
	right := 0
	for _, text := range stated {
		if len(extracted) > 0 && matchesStated(name, text, all) {
			right++
		} else {
			c.addMiss(key, text, field.Value{Text: all})
		}
	}
	count := Count{Stated: len(stated), Right: right, Missed: len(stated) - right}
	if accepted := append(c.truth.Soft[path], c.truth.Also[path]...); right == 0 && len(extracted) > 0 && !matchesAny(name, accepted, all) {
		count.Wrong = 1
	}
	c.addCount(key, count)
	for _, value := range extracted {
		c.addKnownMistake(key, name, value)
	}
}

// addUnstated counts the values of a field that the document does not state
// plainly.
func (c *comparison) addUnstated(key, path, name string, extracted []field.Value) {
	for _, value := range extracted {
		if !c.addKnownMistake(key, name, value) && !matchesAny(name, c.truth.Soft[path], value.Text) && !matchesAny(name, c.truth.Also[path], value.Text) {
			c.addCount(key, Count{Other: 1})
		}
	}
}

// addKnownMistake counts a value that the truth lists as wrong, and reports
// whether it does. It compares the value as written: 1E13 may be a mistake where
// 10,000,000,000,000.00 is right.
func (c *comparison) addKnownMistake(key, name string, value field.Value) bool {
	for _, wrong := range c.truth.Not[name] {
		if normalize(wrong) == normalize(value.Text) {
			c.addCount(key, Count{Wrong: 1})
			c.addMiss(key, "", value)
			return true
		}
	}
	return false
}

func matchesAny(name string, stated Texts, extracted string) bool {
	return slices.ContainsFunc(stated, func(text string) bool { return matchesStated(name, text, extracted) })
}

// addLocations compares the locations: their number, the rows that the truth
// lists, and the sum of the building values.
func (c *comparison) addLocations(extracted [][]field.Value) {
	c.addLocationCount(len(extracted))
	paired := make([]bool, len(extracted))
	for i, match := range c.pairLocations(extracted) {
		path := fmt.Sprintf("locations.rows[%d]", i)
		if match < 0 {
			c.addSection("locations", path, c.truth.Locations.Rows[i], nil)
			continue
		}
		paired[match] = true
		c.addSection("locations", path, c.truth.Locations.Rows[i], extracted[match])
	}
	for i, row := range extracted {
		for _, value := range row {
			if !paired[i] {
				c.addKnownMistake("locations."+value.Field, value.Field, value)
			}
		}
	}
	if stated := c.truth.Locations.SumBuildingValue; len(stated) > 0 {
		const name = "sum_building_value"
		var extractedSum []field.Value
		if sum := sumOf(extracted, "building_value"); sum > 0 {
			extractedSum = []field.Value{{Text: strconv.FormatFloat(sum, 'f', 2, 64)}}
		}
		c.addSingle("locations."+name, "locations."+name, name, stated[0], extractedSum)
	}
}

// addLocationCount compares the number of locations.
func (c *comparison) addLocationCount(got int) {
	const key = "locations.rows"
	soft := c.truth.Soft["locations.count"]
	want := 0
	switch {
	case slices.Contains(soft, strconv.Itoa(got)):
		return
	case c.truth.Locations.Count != nil:
		want = *c.truth.Locations.Count
	case len(soft) > 0: // the nearest acceptable number
		want = math.MaxInt
		for _, text := range soft {
			if n, err := strconv.Atoi(text); err == nil && distance(n, got) < distance(want, got) {
				want = n
			}
		}
	case !slices.Contains(c.truth.Not["count"], strconv.Itoa(got)):
		return
	}
	right := min(got, want)
	c.addCount(key, Count{Stated: want, Right: right, Missed: want - right, Wrong: got - right})
	if got != want {
		c.addMiss(key, strconv.Itoa(want), field.Value{Text: strconv.Itoa(got)})
	}
}

func distance(a, b int) int { return max(a, b) - min(a, b) }

// pairLocations returns, for each row of the truth, the index of the extracted
// row that corresponds to it: the row with the same address, else the row at the
// same index, else the first unpaired row. It is -1 if no row is left.
func (c *comparison) pairLocations(extracted [][]field.Value) []int {
	const name = "location_address"
	rows := c.truth.Locations.Rows
	pairs := make([]int, len(rows))
	paired := make([]bool, len(extracted))
	pair := func(i, match int) {
		pairs[i], paired[match] = match, true
	}
	for i, row := range rows {
		pairs[i] = -1
		addresses := append(slices.Clone(row[name]), c.truth.Also[fmt.Sprintf("locations.rows[%d].%s", i, name)]...)
		for match := range extracted {
			if !paired[match] && matchesAny(name, addresses, textOf(extracted[match], name)) {
				pair(i, match)
				break
			}
		}
	}
	for i := range rows {
		switch unpaired := slices.Index(paired, false); {
		case pairs[i] >= 0 || unpaired < 0:
		case i < len(extracted) && !paired[i]:
			pair(i, i)
		default:
			pair(i, unpaired)
		}
	}
	return pairs
}

func textOf(row []field.Value, name string) string {
	for _, value := range row {
		if value.Field == name {
			return value.Text
		}
	}
	return ""
}

func sumOf(rows [][]field.Value, name string) (sum float64) {
	for _, row := range rows {
		number, _ := strconv.ParseFloat(strings.ReplaceAll(textOf(row, name), ",", ""), 64)
		sum += number
	}
	return sum
}
