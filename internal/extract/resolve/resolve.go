package resolve

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Reading is one place where a value of a field was found.
type Reading struct {
	Field    string
	Text     string
	Key      string // equal for two texts with the same value
	Claim    string // equal for values of several fields of which only one can have it; "" if there are none
	List     bool   // the field can have several values
	Group    string // of the field, from Group
	Features Features
	Evidence string
	Part     int // of the document
	Place    int // in the part, for order
}

// Value is a value of a field with all its readings.
type Value struct {
	Reading             // the best one, with the features of the value
	Evidence    float64 // logarithm of the odds, without other values
	Probability float64 // that the value is right
	Given       bool    // the value is part of the result
	Readings    int
	Rivals      []int // indexes of the values that are wrong if this one is right
}

// maxRivals limits the values that compete with another one.
const maxRivals = 12

// Values merges the readings of the same value, and sets the features of values. Rivals have
// the same field, if it has a single value, or the same claim.
func (m *Model) Values(readings []Reading) []Value {
	type key struct{ field, key string }
	index := make(map[key]int, len(readings))
	values := make([]Value, 0, len(readings))
	found := make([]seen, 0, len(readings))
	fields := map[string]*fieldReadings{}
	for i := range readings {
		r := &readings[i]
		f := fields[r.Field]
		if f == nil {
			f = &fieldReadings{first: r}
			fields[r.Field] = f
		} else if earlier(r, f.first) {
			f.first = r
		}
		f.current = f.current || r.Features[Quoted] == 0
		evidence := m.evidence(r)
		k := key{r.Field, r.Key}
		at, known := index[k]
		if !known {
			at = len(values)
			index[k] = at
			values = append(values, Value{Reading: *r, Evidence: evidence})
			found = append(found, seen{})
			f.values = append(f.values, at)
		}
		v := &values[at]
		v.Readings++
		if found[at].add(r); !known {
			continue
		}
		longer := v.Text
		if evidence > v.Evidence {
			place := v.Place
			part := v.Part
			v.Reading, v.Evidence = *r, evidence
			if v.List {
				v.Place, v.Part = place, part // a list is in the order of the document
			}
		} else {
			longer = r.Text
		}
		if (v.List || r.Claim != "") && len(longer) > len(v.Text) {
			v.Text = longer // the name with its legal form
		}
	}
	claims := map[string][]int{}
	for i := range values {
		v := &values[i]
		f := fields[v.Field]
		found[i].set(&v.Features)
		v.Features[Others] = min(math.Log2(float64(len(f.values))), 3)
		if v.Key == f.first.Key {
			v.Features[First] = 1
		}
		if found[i].quoted && f.current {
			v.Features[Superseded] = 1
		}
		if !v.List {
			v.Features[Extends], v.Features[Within] = f.forms(values, i)
		}
		v.Evidence = m.evidence(&v.Reading)
		if v.Claim != "" {
			claims[v.Claim] = append(claims[v.Claim], i)
		}
	}
	for i := range values {
		values[i].Rivals = rivals(values, i, fields[values[i].Field], claims[values[i].Claim])
	}
	return values
}

// Decide sets the probabilities of the values, and marks those that are given: the most
// probable value of a field with a single value, and all values of a list, if they reach
// the threshold. It returns the values by field in the order of their probability, or of
// the document for a list.
func (m *Model) Decide(values []Value) map[string][]Value {
	byField := map[string][]Value{}
	counts := map[string]int{}     // of values, by field
	claims := map[string]float64{} // the highest probability of each
	for i := range values {
		v := &values[i]
		v.Probability = Probability(values, i)
		if v.Claim != "" {
			claims[v.Claim] = max(claims[v.Claim], v.Probability)
		}
		counts[v.Field]++
	}
	for i := range values {
		v := &values[i]
		of := byField[v.Field]
		if of == nil {
			of = make([]Value, 0, counts[v.Field])
		}
		byField[v.Field] = append(of, *v)
	}
	for _, of := range byField {
		slices.SortStableFunc(of, func(a, b Value) int {
			if a.List {
				return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Place, b.Place))
			}
			return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Place, b.Place))
		})
		for i := range of {
			v := &of[i]
			v.Given = v.Probability >= m.Threshold(v.Group) && v.Probability >= claims[v.Claim]
			if v.Given && !v.List {
				break
			}
		}
	}
	return byField
}

// Probability returns the probability of a value among its rivals.
func Probability(values []Value, i int) float64 {
	return sigmoid(values[i].Evidence - math.Log(1+RivalOdds(values, i)))
}

// RivalOdds returns the sum of the odds of the rivals of a value.
func RivalOdds(values []Value, i int) (sum float64) {
	for _, r := range values[i].Rivals {
		sum += math.Exp(values[r].Evidence)
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fieldReadings describes the readings of a field.
type fieldReadings struct {
	first   *Reading
	current bool  // one of them is not in an older mail
	values  []int // indexes
	strong  []int // the values with the best evidence
}

// maxForms limits the values of a field that are compared.
const maxForms = 40

// forms returns whether a value contains another one of its field, and whether another one
// contains it, each as 0 or 1.
func (f *fieldReadings) forms(values []Value, i int) (extends, within float64) {
	key := values[i].Key
	for _, j := range f.values[:min(len(f.values), maxForms)] {
		other := values[j].Key
		switch {
		case j == i || other == "":
		case strings.Contains(key, other):
			extends = 1
		case strings.Contains(other, key):
			within = 1
		}
	}
	return extends, within
}

// rivals returns the indexes of the values that compete with a value: other values of its
// field, unless they are a shorter or longer form of it, and the same value in other
// fields.
func rivals(values []Value, i int, f *fieldReadings, claims []int) []int {
	var found []int
	v := values[i]
	if !v.List {
		if f.strong == nil {
			f.strong = slices.Clone(f.values)
			slices.SortStableFunc(f.strong, func(a, b int) int { return cmp.Compare(values[b].Evidence, values[a].Evidence) })
			f.strong = f.strong[:min(len(f.strong), maxRivals)]
		}
		for _, j := range f.strong {
			if j != i && !strings.Contains(values[j].Key, v.Key) && !strings.Contains(v.Key, values[j].Key) {
				found = append(found, j)
			}
		}
	}
	for _, j := range claims {
		if values[j].Field != v.Field {
			found = append(found, j)
		}
	}
	return found
}

func earlier(a, b *Reading) bool {
	return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Place, b.Place)) < 0
}

// seen describes the places where a value was found. Those in older mails count only if there
// is no other.
type seen struct {
	quoted   bool // all of them are in older mails
	places   int  // number of places, at most maxSeen
	evidence [maxSeen]string
	parts    [maxSeen]int
	kinds    int // a bit for each kind of place
}

const maxSeen = 8

func (s *seen) add(r *Reading) {
	quoted := r.Features[Quoted] != 0
	switch {
	case s.places == 0 || s.quoted && !quoted:
		*s = seen{quoted: quoted}
	case quoted && !s.quoted:
		return
	}
	if s.places == maxSeen || slices.Contains(s.evidence[:s.places], r.Evidence) {
		return // the same place again
	}
	s.evidence[s.places], s.parts[s.places] = r.Evidence, r.Part
	s.places++
	s.kinds |= 1 << place(r)
}

func (s *seen) set(f *Features) {
	further := 0 // parts
	for i, p := range s.parts[:s.places] {
		if i > 0 && !slices.Contains(s.parts[:i], p) {
			further++
		}
	}
	f[Again] = math.Log2(float64(s.places))
	f[Parts] = float64(min(further, 2))
	f[Places] = float64(min(bits.OnesCount(uint(s.kinds))-1, 2))
}

// place returns the kind of place of a reading.
func place(r *Reading) int {
	for f := Guess; f <= Form; f++ {
		if r.Features[f] != 0 {
			return int(f)
		}
	}
	return 0
}
