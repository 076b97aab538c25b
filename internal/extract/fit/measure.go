package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/grade"
	"understudy.example/internal/extract/resolve"
)

// wrongCost is the number of right values that one wrong value costs. A value is worth
// giving if p, its probability, is greater than wrongCost*(1-p).
const wrongCost = 0.5

// leastJudged is the number of judged values that a group needs for a threshold of its own.
const leastJudged = 40

// maxThreshold is the highest threshold in percent. Only too few values would lead to a higher one.
const maxThreshold = 60

// judged is a given value whose verdict is known.
type judged struct {
	group       string
	probability float64
	right       bool
	weight      float64
}

// thresholds returns the threshold of each group, from values of documents whose maker was
// left out. Values of locations have none: a row is given as a whole.
func thresholds(documents []*document, folds map[string]*resolve.Model) map[string]float64 {
	byGroup := map[string][]judged{}
	for _, d := range documents {
		model := folds[d.maker]
		if d.generated || model == nil {
			continue
		}
		values := model.Values(d.readings)
		found := d.rightLists(values)
		for _, values := range model.Decide(values) {
			for i, v := range values {
				verdict := d.judge(v.Reading)
				weight := 1.0
				if v.List && verdict == grade.Wrong {
					if found[v.Field] {
						continue // a further entry is not wrong, as in grade
					}
					weight = 1 / float64(len(values)) // the list is wrong once
				}
				if verdict != grade.Neither && (i == 0 || v.List) {
					j := judged{v.Group, v.Probability, verdict == grade.Right, weight}
					byGroup[v.Group] = append(byGroup[v.Group], j)
					if !v.List {
						byGroup[resolve.Shared] = append(byGroup[resolve.Shared], j)
					}
				}
			}
		}
	}
	found := map[string]float64{}
	for group, values := range byGroup {
		if len(values) >= leastJudged {
			found[group] = threshold(values)
		}
	}
	return found
}

// threshold returns the threshold with the best sum of right and wrong values; of several,
// the one nearest to what calibrated probabilities require.
func threshold(values []judged) float64 {
	expected := wrongCost / (1 + wrongCost)
	best, bestSum := expected, math.Inf(-1)
	for percent := 20; percent <= maxThreshold; percent += 5 {
		t, sum := float64(percent)/100, 0.0
		for _, v := range values {
			switch {
			case v.probability < t:
			case v.right:
				sum += v.weight
			default:
				sum -= wrongCost * v.weight
			}
		}
		if cmp.Or(cmp.Compare(sum, bestSum), cmp.Compare(math.Abs(best-expected), math.Abs(t-expected))) > 0 {
			best, bestSum = t, sum
		}
	}
	return best
}

// figures are the measurements of one way of fitting.
type figures struct {
	counts map[string]grade.Count // by group
	given  map[string][]judged    // by group
	misses map[string]map[string]int
}

// all is the group of all values in figures.
const all = "all"

// measure resolves the documents, each with its model, and compares the result with the truth.
func measure(documents []*document, modelOf func(*document) *resolve.Model) figures {
	f := figures{counts: map[string]grade.Count{}, given: map[string][]judged{}, misses: map[string]map[string]int{}}
	for _, d := range documents {
		if d.generated {
			continue
		}
		model := modelOf(d)
		e := *d.extraction
		e.Facts, e.Options = candidate.Resolve(model, d.readings)
		facts, options, locations := grade.WithDerived(e.Facts, e.Options, e.Locations)
		tally := grade.Tally{}
		tally.Add(d.name, d.truth, facts, options, locations)
		for path, count := range tally.Counts {
			for _, group := range []string{groupOf(d, path), all} {
				f.counts[group] = f.counts[group].Plus(count)
			}
		}
		for _, miss := range tally.Misses {
			f.miss(d, miss)
		}
		f.judge(d, model)
	}
	return f
}

// judge adds the verdicts of the given values of a document.
func (f *figures) judge(d *document, model *resolve.Model) {
	add := func(group string, probability float64, verdict grade.Verdict, weight float64) {
		if verdict == grade.Neither {
			return
		}
		for _, g := range []string{group, all} {
			f.given[g] = append(f.given[g], judged{group, probability, verdict == grade.Right, weight})
		}
	}
	values := model.Values(d.readings)
	found := d.rightLists(values)
	decided := model.Decide(values)
	for _, name := range slices.Sorted(maps.Keys(decided)) {
		for _, v := range decided[name] {
			weight, verdict := 1.0, d.judge(v.Reading)
			if verdict == grade.Wrong && found[name] {
				weight = furtherWeight
			}
			if v.Given {
				add(v.Group, v.Probability, verdict, weight)
			}
		}
	}
	for _, c := range d.cells {
		add(c.Group, model.Alone(&c.Reading), c.verdict, 1)
	}
}

// groupOf returns the group of a path such as facts.company_name.
func groupOf(d *document, path string) string {
	section, name, _ := strings.Cut(path, ".")
	if path == "locations.rows" || path == "locations.sum_building_value" {
		return "rows"
	}
	if section == "locations" {
		return candidate.Group(path)
	}
	return candidate.Group(name)
}

// brier returns the mean squared difference of probabilities and verdicts.
func brier(values []judged) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v.weight * (v.probability - v.share()) * (v.probability - v.share())
	}
	return sum / max(weightOf(values), 1)
}

func weightOf(values []judged) (sum float64) {
	for _, v := range values {
		sum += v.weight
	}
	return sum
}

func (j judged) share() float64 {
	if j.right {
		return 1
	}
	return 0
}

// bin is a range of probabilities: the weight of the values in it, their mean probability, and
// the share of them that is right.
type bin struct {
	from, to            float64
	weight, mean, right float64
}

var binEnds = []float64{0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1}

// reliability returns the bins with values, and the mean difference between probability and
// share in them.
func reliability(values []judged) (bins []bin, calibrationError float64) {
	from, all := 0.0, weightOf(values)
	for _, to := range binEnds {
		b := bin{from: from, to: to}
		for _, v := range values {
			if v.probability >= from && (v.probability < to || to == 1) {
				b.weight += v.weight
				b.mean += v.weight * v.probability
				b.right += v.weight * v.share()
			}
		}
		if from = to; b.weight == 0 {
			continue
		}
		calibrationError += math.Abs(b.mean-b.right) / all
		b.mean, b.right = b.mean/b.weight, b.right/b.weight
		bins = append(bins, b)
	}
	return bins, calibrationError
}
