package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"understudy.example/internal/extract/grade"
	"understudy.example/internal/extract/resolve"
)

const (
	rounds     = 3   // the best reading of a value depends on the weights
	steps      = 250 // of each round
	stepLength = 0.05

	// Penalties of squares: of the difference between a shared weight and its prior, of the difference between a
	// group's weight and its prior, and of a field's offset.
	sharedPenalty = 0.3
	groupPenalty  = 1.0
	fieldPenalty  = 1.5

	generatedWeight = 0.2 // of a value of a generated document
	cellsWeight     = 3   // of all cells of a field in a document
	furtherWeight   = 0.3 // of an entry that is not in the truth, in a list with right entries: the truth need not be complete
)

// example is a value whose verdict may be known, with the features that are not zero.
type example struct {
	group, field int
	features     []resolve.Feature
	x            []float64
	rivals       []int // indexes of examples
	right        float64
	weight       float64 // 0 if the verdict is not known
}

// trainer fits the weights by gradient descent, which is deterministic: it starts at fixed
// weights and takes all examples together.
type trainer struct {
	examples []example
	groups   []string
	fields   []string
	weights  []float64
}

const width = len(resolve.Features{})

// train fits a model to the documents, except those of the makers that are left out.
func train(documents []*document, without []string) *resolve.Model {
	model := &resolve.Model{Weights: map[string]*resolve.Features{resolve.Shared: priors}, Offsets: map[string]float64{}}
	t := &trainer{}
	for range rounds {
		t.collect(documents, without, model)
		if t.weights == nil {
			t.weights = make([]float64, width*(1+len(t.groups))+len(t.fields))
			copy(t.weights, model.Weights[resolve.Shared][:])
		}
		t.descend()
		model = t.model()
	}
	return model
}

// priors are the weights that are expected without any documents. The documents pull the
// weights away from them.
var priors = func() *resolve.Features {
	w := &resolve.Features{
		resolve.Match: -1, resolve.Type: -1, resolve.Derived: -0.5, resolve.Quoted: -0.5, resolve.Partial: -1, resolve.Assumed: -0.5,
		resolve.Agrees: 0.5, resolve.Extends: 0.5, resolve.Within: -0.5, resolve.Again: 1, resolve.Places: 1,
	}
	for f := resolve.Guess; f <= resolve.Form; f++ {
		w[f] = 0.2 * float64(f-resolve.Guess) // more explicit places
	}
	return w
}()

// changing are the groups of fields that newer mails correct.
var changing = []string{"dates", "money", "numbers"}

// prior returns what is expected of the difference between a group's weight and the shared
// one.
func prior(group string, f resolve.Feature) float64 {
	if f == resolve.Superseded && slices.Contains(changing, group) {
		return -3
	}
	return 0
}

// collect lists the examples, with the best readings according to the model.
func (t *trainer) collect(documents []*document, without []string, model *resolve.Model) {
	t.examples = t.examples[:0]
	for _, d := range documents {
		if slices.Contains(without, d.maker) {
			continue
		}
		base, weight := len(t.examples), 1.0
		if d.generated {
			weight = generatedWeight
		}
		values := model.Values(d.readings)
		found := d.rightLists(values)
		for _, v := range values {
			e := t.example(v.Reading)
			for _, r := range v.Rivals {
				e.rivals = append(e.rivals, base+r)
			}
			if e.judge(d.judge(v.Reading), weight); e.right == 0 && found[v.Field] {
				e.weight *= furtherWeight
			}
			t.examples = append(t.examples, e)
		}
		same := map[string]int{}
		for _, c := range d.cells {
			same[c.Field]++
		}
		for _, c := range d.cells {
			e := t.example(c.Reading)
			e.judge(c.verdict, weight*min(1, cellsWeight/float64(same[c.Field])))
			t.examples = append(t.examples, e)
		}
	}
}

func (t *trainer) example(r resolve.Reading) example {
	e := example{group: indexOf(&t.groups, r.Group), field: indexOf(&t.fields, r.Field)}
	for f, x := range r.Features {
		if x != 0 {
			e.features, e.x = append(e.features, resolve.Feature(f)), append(e.x, x)
		}
	}
	return e
}

func (e *example) judge(verdict grade.Verdict, weight float64) {
	switch verdict {
	case grade.Right:
		e.right, e.weight = 1, weight
	case grade.Wrong:
		e.weight = weight
	}
}

func indexOf(names *[]string, name string) int {
	if i := slices.Index(*names, name); i >= 0 {
		return i
	}
	*names = append(*names, name)
	return len(*names) - 1
}

// descend improves the weights with Adam, in steps that become shorter.
func (t *trainer) descend() {
	n := len(t.weights)
	mean, square, gradient := make([]float64, n), make([]float64, n), make([]float64, n)
	evidence, slope := make([]float64, len(t.examples)), make([]float64, len(t.examples))
	for step := 1; step <= steps; step++ {
		t.gradient(gradient, evidence, slope)
		length := stepLength * (1 - 0.9*float64(step)/steps)
		for i, g := range gradient {
			mean[i] = 0.9*mean[i] + 0.1*g
			square[i] = 0.99*square[i] + 0.01*g*g
			t.weights[i] -= length * (mean[i] / (1 - math.Pow(0.9, float64(step)))) / (math.Sqrt(square[i]/(1-math.Pow(0.99, float64(step)))) + 1e-8)
		}
	}
}

// gradient computes the gradient of the loss: the negative logarithm of the likelihood, and
// the penalties.
func (t *trainer) gradient(gradient, evidence, slope []float64) {
	offsets := width * (1 + len(t.groups))
	for i := range t.examples {
		e := &t.examples[i]
		own := t.weights[width*(1+e.group):]
		z := t.weights[offsets+e.field]
		for k, f := range e.features {
			z += e.x[k] * (t.weights[f] + own[f])
		}
		evidence[i], slope[i] = min(max(z, -12), 12), 0
	}
	for i := range t.examples {
		e := &t.examples[i]
		if e.weight == 0 {
			continue
		}
		odds := 1.0
		for _, r := range e.rivals {
			odds += math.Exp(evidence[r])
		}
		p := 1 / (1 + math.Exp(math.Log(odds)-evidence[i]))
		g := e.weight * (p - e.right)
		slope[i] += g
		for _, r := range e.rivals {
			slope[r] -= g * math.Exp(evidence[r]) / odds
		}
	}
	for i, w := range t.weights {
		switch {
		case i == int(resolve.Always):
			gradient[i] = 0
		case i < width:
			gradient[i] = sharedPenalty * (w - priors[i])
		case i < offsets:
			gradient[i] = groupPenalty * (w - prior(t.groups[i/width-1], resolve.Feature(i%width)))
		default:
			gradient[i] = fieldPenalty * w
		}
	}
	for i := range t.examples {
		e := &t.examples[i]
		if slope[i] == 0 {
			continue
		}
		own := gradient[width*(1+e.group):]
		for k, f := range e.features {
			gradient[f] += slope[i] * e.x[k]
			own[f] += slope[i] * e.x[k]
		}
		gradient[offsets+e.field] += slope[i]
	}
}

// model returns the model of the weights.
func (t *trainer) model() *resolve.Model {
	m := &resolve.Model{Weights: map[string]*resolve.Features{}, Offsets: map[string]float64{}}
	shared := resolve.Features(t.weights[:width])
	m.Weights[resolve.Shared] = &shared
	for i, group := range t.groups {
		own := resolve.Features(t.weights[width*(1+i):][:width])
		for f := range own {
			own[f] += shared[f]
		}
		m.Weights[group] = &own
	}
	for i, name := range t.fields {
		m.Offsets[name] = t.weights[width*(1+len(t.groups))+i]
	}
	return m
}

// maxFolds is the number of models that are fitted to measure how well the weights work for other makers.
const maxFolds = 20

// leaveOut returns, for each maker, a model that was fitted without the maker's documents. If there are more
// makers than maxFolds, the documents of several makers are left out together. Progress is written to log.
func leaveOut(documents []*document, log io.Writer) map[string]*resolve.Model {
	models := map[string]*resolve.Model{}
	for _, d := range documents {
		if !d.generated {
			models[d.maker] = nil
		}
	}
	folds := foldsOf(slices.Sorted(maps.Keys(models)))
	var group errgroup.Group
	var mutex sync.Mutex
	group.SetLimit(2)
	done := 0
	for _, makers := range folds {
		group.Go(func() error {
			m := train(documents, makers)
			mutex.Lock()
			defer mutex.Unlock()
			for _, maker := range makers {
				models[maker] = m
			}
			done++
			fmt.Fprintf(log, "fitted %d of %d times without some of the makers\n", done, len(folds))
			return nil
		})
	}
	_ = group.Wait()
	return models
}

// foldsOf divides the makers into at most maxFolds groups of about the same size.
func foldsOf(makers []string) [][]string {
	folds := make([][]string, min(maxFolds, len(makers)))
	for i, maker := range makers {
		folds[i%len(folds)] = append(folds[i%len(folds)], maker)
	}
	return folds
}
