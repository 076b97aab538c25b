package grade

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/field"
)

// Count is how often a field was stated, and read.
type Count struct {
	Stated int
	Right  int
	Wrong  int // given, but another value, or where it is known to be a mistake
	Missed int // stated, but not given or wrong
	Other  int // given where the truth says nothing: not judged
}

// Precision is the share of right values among those given; 1 when none is.
func (c Count) Precision() float64 { return share(c.Right, c.Right+c.Wrong) }

// Recall is the share of right values among those stated; 1 when none is.
func (c Count) Recall() float64 { return share(c.Right, c.Stated) }

func (c Count) plus(d Count) Count {
	return Count{c.Stated + d.Stated, c.Right + d.Right, c.Wrong + d.Wrong, c.Missed + d.Missed, c.Other + d.Other}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Miss is a value that was not read as stated.
type Miss struct {
	File, Field string
	Stated      string // empty where a known mistake was made
	Read        string // empty where nothing was read
	Where       string // the place of what was read
}

// Tally counts over documents. Its zero value is ready.
type Tally struct {
	Counts map[string]Count // by path: facts.company_name, locations.building_value, locations.rows
	Misses []Miss
}

// Add counts what was read in one file.
func (t *Tally) Add(file string, truth Document, facts, options []field.Value, locations [][]field.Value) {
	j := &judgement{tally: t, file: file, truth: truth}
	j.section("facts", "facts", truth.Facts, facts)
	j.section("options", "options", truth.Options, options)
	j.rows(locations)
}

// judgement is the comparison of one document.
type judgement struct {
	tally *Tally
	file  string
	truth Document
}

func (j *judgement) count(key string, add Count) {
	if j.tally.Counts == nil {
		j.tally.Counts = map[string]Count{}
	}
	j.tally.Counts[key] = j.tally.Counts[key].plus(add)
}

func (j *judgement) miss(key, stated string, read field.Value) {
	j.tally.Misses = append(j.tally.Misses, Miss{File: j.file, Field: key, Stated: stated, Read: read.Text, Where: read.Evidence})
}

// section judges the fields of one section or row. key begins the names of
// counts, path those of Also and Soft.
func (j *judgement) section(key, path string, stated map[string]Texts, read []field.Value) {
	given := map[string][]field.Value{}
	for _, value := range read {
		given[value.Field] = append(given[value.Field], value)
	}
	for name := range given {
		if len(stated[name]) == 0 {
			j.unstated(key+"."+name, path+"."+name, name, given[name])
		}
	}
	for name, texts := range stated {
		if kinds[name].IsList() {
			j.list(key+"."+name, path+"."+name, name, texts, given[name])
		} else if len(texts) > 0 {
			j.single(key+"."+name, path+"."+name, name, texts[0], given[name])
		}
	}
}

// single judges a stated field of one value.
func (j *judgement) single(key, path, name, stated string, given []field.Value) {
	if len(given) == 0 {
		j.count(key, Count{Stated: 1, Missed: 1})
		j.miss(key, stated, field.Value{})
		return
	}
	read := given[0]
	switch {
	case same(name, stated, read.Text) || matches(name, j.truth.Also[path], read.Text):
		j.count(key, Count{Stated: 1, Right: 1})
	case matches(name, j.truth.Soft[path], read.Text):
	default:
		j.count(key, Count{Stated: 1, Missed: 1, Wrong: 1})
		j.miss(key, stated, read)
	}
}

// list judges a stated list: each stated entry is to be found among those
// read. Further ones are no error, unless nothing is right.
func (j *judgement) list(key, path, name string, stated Texts, given []field.Value) {
	var texts []string
	for _, value := range given {
		texts = append(texts, value.Text)
	}
	all := strings.Join(texts, "; ")
	right := 0
	for _, text := range stated {
		if len(given) > 0 && same(name, text, all) {
			right++
		} else {
			j.miss(key, text, field.Value{Text: all})
		}
	}
	add := Count{Stated: len(stated), Right: right, Missed: len(stated) - right}
	if soft := append(j.truth.Soft[path], j.truth.Also[path]...); right == 0 && len(given) > 0 && !matches(name, soft, all) {
		add.Wrong = 1
	}
	j.count(key, add)
	for _, value := range given {
		j.mistake(key, name, value)
	}
}

// unstated judges a field that the document does not state plainly.
func (j *judgement) unstated(key, path, name string, given []field.Value) {
	for _, value := range given {
		if !j.mistake(key, name, value) && !matches(name, j.truth.Soft[path], value.Text) && !matches(name, j.truth.Also[path], value.Text) {
			j.count(key, Count{Other: 1})
		}
	}
}

// mistake counts a value that is known to be wrong, as it is written: 1E13 may
// be a mistake where 10,000,000,000,000.00 is right.
func (j *judgement) mistake(key, name string, read field.Value) bool {
	for _, wrong := range j.truth.Not[name] {
		if plain(wrong) == plain(read.Text) {
			j.count(key, Count{Wrong: 1})
			j.miss(key, "", read)
			return true
		}
	}
	return false
}

func matches(name string, texts Texts, read string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return same(name, text, read) })
}

// rows judges the locations: how many there are, what is in those that the
// truth shows, and the sum of all buildings.
func (j *judgement) rows(read [][]field.Value) {
	j.number(len(read))
	taken := make([]bool, len(read))
	for i, at := range j.pair(read) {
		path := fmt.Sprintf("locations.rows[%d]", i)
		if at < 0 {
			j.section("locations", path, j.truth.Locations.Rows[i], nil)
			continue
		}
		taken[at] = true
		j.section("locations", path, j.truth.Locations.Rows[i], read[at])
	}
	for at, row := range read {
		for _, value := range row {
			if !taken[at] {
				j.mistake("locations."+value.Field, value.Field, value)
			}
		}
	}
	if stated := j.truth.Locations.SumBuildingValue; len(stated) > 0 {
		const name = "sum_building_value"
		var given []field.Value
		if sum := sumOf(read, "building_value"); sum > 0 {
			given = []field.Value{{Text: strconv.FormatFloat(sum, 'f', 2, 64)}}
		}
		j.single("locations."+name, "locations."+name, name, stated[0], given)
	}
}

// number judges how many rows there are.
func (j *judgement) number(read int) {
	const key = "locations.rows"
	soft := j.truth.Soft["locations.count"]
	want := 0
	switch {
	case slices.Contains(soft, strconv.Itoa(read)):
		return
	case j.truth.Locations.Count != nil:
		want = *j.truth.Locations.Count
	case len(soft) > 0: // the nearest of those that are no error
		want = math.MaxInt
		for _, text := range soft {
			if n, err := strconv.Atoi(text); err == nil && distance(n, read) < distance(want, read) {
				want = n
			}
		}
	case !slices.Contains(j.truth.Not["count"], strconv.Itoa(read)):
		return
	}
	right := min(read, want)
	j.count(key, Count{Stated: want, Right: right, Missed: want - right, Wrong: read - right})
	if read != want {
		j.miss(key, strconv.Itoa(want), field.Value{Text: strconv.Itoa(read)})
	}
}

func distance(a, b int) int { return max(a, b) - min(a, b) }

// pair finds the row read for each row of the truth: by its address, else by
// its place in the order; -1 where there is none.
func (j *judgement) pair(read [][]field.Value) []int {
	const name = "location_address"
	rows := j.truth.Locations.Rows
	pairs := make([]int, len(rows))
	taken := make([]bool, len(read))
	take := func(i, at int) {
		pairs[i], taken[at] = at, true
	}
	for i, row := range rows {
		pairs[i] = -1
		right := append(slices.Clone(row[name]), j.truth.Also[fmt.Sprintf("locations.rows[%d].%s", i, name)]...)
		for at := range read {
			if !taken[at] && matches(name, right, textOf(read[at], name)) {
				take(i, at)
				break
			}
		}
	}
	for i := range rows {
		switch free := slices.Index(taken, false); {
		case pairs[i] >= 0 || free < 0:
		case i < len(read) && !taken[i]:
			take(i, i)
		default:
			take(i, free)
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
