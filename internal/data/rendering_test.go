package data

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"understudy.example/internal/api"
)

// TestRenderArray checks that the rendering of few and of many elements has the bytes of
// the whole response after the head, and that its length is right.
func TestRenderArray(t *testing.T) {
	t.Parallel()
	type fields struct {
		Data any `json:"data"`
		More int `json:"more"`
	}
	for _, count := range []int{0, 1, 5000} {
		elements := make([]string, count)
		for i := range elements {
			elements[i] = strings.Repeat("<element>", i%50)
		}
		rendered, err := renderArray(fields{[0]string{}, 1}, func(yield func(any, error) bool) {
			for _, element := range elements {
				if !yield(element, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		got := append([]byte("{"), textOf(t, rendered.texts())...)
		want, err := api.Encode(fields{elements, 1})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) || rendered.length != int64(len(want)-1) {
			t.Errorf("%d elements: %d bytes, length %d; want %d", count, len(got), rendered.length, len(want)-1)
		}
		if !json.Valid(got) {
			t.Errorf("%d elements: not valid", count)
		}
		if stored := rendered.stored(); count == 5000 && stored > int64(len(want)/10) {
			t.Errorf("%d of %d bytes are stored", stored, len(want))
		}
	}
}

func textOf(t *testing.T, texts iter.Seq2[[]byte, error]) (all []byte) {
	t.Helper()
	for text, err := range texts {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return all
}

// TestRenderingsAreBounded checks that the cache forgets the renderings that were not used
// for the longest time, and does not keep one that would displace most others.
func TestRenderingsAreBounded(t *testing.T) {
	t.Parallel()
	const entry = 1000
	cache := NewRenderings(10 * (entry + entryBytes))
	key := func(n int) renderingKey { return renderingKey{tenantID: uuid.UUID{byte(n)}, cReportID: "C"} }
	for n := range 20 {
		cache.add(key(n), &rendering{length: entry, parts: [][]byte{make([]byte, entry)}})
		cache.find(key(0))
	}
	for n := range 20 {
		if cached, want := cache.find(key(n)) != nil, n == 0 || n > 10; cached != want {
			t.Errorf("rendering %d is cached: %v, want %v", n, cached, want)
		}
	}
	if cache.used > cache.max || cache.recent.Len() != 10 || len(cache.entries) != 10 {
		t.Errorf("%d of %d bytes in %d entries", cache.used, cache.max, len(cache.entries))
	}
	cache.add(key(30), &rendering{length: 4 * entry, parts: [][]byte{make([]byte, 4*entry)}})
	if cache.find(key(30)) != nil {
		t.Error("a large rendering is cached")
	}
}

// TestLargeRenderingsAreMadeOneAtATime checks that callers that need large renderings wait for each other, that callers
// that need the same one share it, and that small ones do not wait.
func TestLargeRenderingsAreMadeOneAtATime(t *testing.T) {
	t.Parallel()
	c := NewRenderings(1 << 20)
	var making, most, made atomic.Int32
	begun, proceed := make(chan struct{}, 1), make(chan struct{})
	makeLarge := func() (*rendering, error) {
		most.Store(max(most.Load(), making.Add(1)))
		defer making.Add(-1)
		made.Add(1)
		select {
		case begun <- struct{}{}:
		default:
		}
		<-proceed
		return &rendering{length: 2, parts: [][]byte{[]byte("{}")}}, nil
	}
	tenants := []uuid.UUID{uuid.New(), uuid.New()}
	var callers sync.WaitGroup
	for i := range 12 { // three callers for each of four renderings
		callers.Go(func() {
			key := renderingKey{tenantID: tenants[i%2], cReportID: fmt.Sprint("report ", i%4)}
			if got, err := c.get(t.Context(), key, largeRendering, makeLarge); err != nil || got.length != 2 {
				t.Errorf("got %v, error %v", got, err)
			}
		})
	}
	<-begun
	small := func() (*rendering, error) { return &rendering{parts: [][]byte{nil}}, nil }
	if _, err := c.get(t.Context(), renderingKey{tenantID: tenants[0], cReportID: "small"}, largeRendering-1, small); err != nil {
		t.Error(err)
	}
	close(proceed)
	callers.Wait()
	if most.Load() != 1 || made.Load() != 4 {
		t.Errorf("%d renderings were made, up to %d at a time; want 4, one at a time", made.Load(), most.Load())
	}

	if err := c.large.Take(t.Context(), tenants[0]); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.get(gone, renderingKey{tenantID: tenants[1], cReportID: "gone"}, largeRendering, makeLarge); !errors.Is(err, context.Canceled) {
		t.Errorf("the client is gone: error %v", err)
	}
}
