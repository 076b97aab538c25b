// Package memo caches the results of functions for the texts of a document while the document is
// extracted, because several stages of the extraction call the same functions with the same texts. It
// does not know what the functions do. Their results must depend on nothing but the text.
package memo

import (
	"sync"
	"sync/atomic"
)

// Table holds the results of a function.
type Table[R any] struct {
	compute func(text string) R
	mu      sync.Mutex
	results map[string]R
}

const (
	maxText    = 2_000 // bytes of a text whose result is remembered
	maxResults = 5_000 // results in a table
	maxReused  = 1_000 // results of a table whose memory is kept for the next document
)

var (
	running atomic.Int32 // extractions in progress
	mu      sync.Mutex
	tables  []func() // each forgets the results of a table
)

// New returns an empty table for the results of a function.
func New[R any](compute func(text string) R) *Table[R] {
	t := &Table[R]{compute: compute}
	mu.Lock()
	defer mu.Unlock()
	tables = append(tables, t.forget)
	return t
}

// Start makes all tables remember results. The caller must call end at the end of its document. When
// no document is left, all results are forgotten.
func Start() (end func()) {
	running.Add(1)
	return func() {
		if running.Add(-1) > 0 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, forget := range tables {
			forget()
		}
	}
}

// Of returns the result of the function for a text. The result is shared: the caller must not
// change it.
func (t *Table[R]) Of(text string) R {
	if len(text) > maxText || running.Load() == 0 {
		return t.compute(text)
	}
	t.mu.Lock()
	result, known := t.results[text]
	t.mu.Unlock()
	if known {
		return result
	}
	result = t.compute(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if running.Load() == 0 { // the document has ended in the meantime
		return result
	}
	if t.results == nil || len(t.results) >= maxResults {
		t.results = map[string]R{}
	}
	t.results[text] = result
	return result
}

func (t *Table[R]) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.results) > maxReused {
		t.results = nil
	}
	clear(t.results)
}
