package data

import (
	"bytes"
	"compress/flate"
	"container/list"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"strings"
	"sync"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/turns"
)

// rendering is the part of a response that depends only on the report and the package:
// the fields after the head, up to the end. A rendering of more than partBytes is
// compressed in parts, so that a response needs the memory of one part.
type rendering struct {
	length     int64 // bytes, before compression
	parts      [][]byte
	compressed bool
	clean      bool // contains no secret; false if that is not known
}

const (
	partBytes = 64 << 10
	// inflating is the memory in bytes of a response whose rendering is compressed,
	// besides the rendering and the texts of its key.
	inflating = 2 * partBytes
	// entryBytes is the memory of an entry of the cache, besides the rendering and the texts of its key.
	entryBytes = 512
)

// stored returns the bytes that the rendering occupies.
func (r *rendering) stored() (bytes int64) {
	for _, part := range r.parts {
		bytes += int64(len(part))
	}
	return bytes
}

// memory returns the bytes that a response with the rendering occupies until it is read.
func (r *rendering) memory() int64 {
	if r.compressed {
		return r.stored() + inflating
	}
	return r.stored()
}

// texts returns the text of the rendering in parts. Each is valid until the next one.
func (r *rendering) texts() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if !r.compressed {
			yield(r.parts[0], nil)
			return
		}
		inflater := flate.NewReader(nil)
		var text bytes.Buffer
		for _, part := range r.parts {
			text.Reset()
			inflater.(flate.Resetter).Reset(bytes.NewReader(part), nil)
			_, err := io.Copy(&text, inflater)
			if !yield(text.Bytes(), err) || err != nil {
				return
			}
		}
	}
}

// renderer makes a rendering.
type renderer struct {
	done     rendering
	text     bytes.Buffer // of the part that is being made
	deflater *flate.Writer
}

// endElement compresses the part that is being made if it is large enough. Other calls
// can run between the elements of a large response.
func (r *renderer) endElement() {
	if r.text.Len() >= partBytes {
		r.compress()
	}
	runtime.Gosched()
}

func (r *renderer) compress() {
	var part bytes.Buffer
	if r.deflater == nil {
		r.deflater, _ = flate.NewWriter(&part, flate.BestSpeed) // fails only for an unknown level
	} else {
		r.deflater.Reset(&part)
	}
	r.deflater.Write(r.text.Bytes()) // writes to memory do not fail, nor does Close
	r.deflater.Close()
	r.done.compressed = true
	r.done.length += int64(r.text.Len())
	r.done.parts = append(r.done.parts, bytes.Clone(part.Bytes()))
	r.text.Reset()
}

// end returns the rendering.
func (r *renderer) end() *rendering {
	if r.done.compressed {
		r.compress()
	} else {
		r.done.length, r.done.parts = int64(r.text.Len()), [][]byte{bytes.Clone(r.text.Bytes())}
	}
	return &r.done
}

// render returns the rendering of the fields that follow a head.
func render(fields any) (*rendering, error) {
	var r renderer
	if err := api.AppendJSON(&r.text, fields); err != nil {
		return nil, err
	}
	r.text.Next(1) // the opening brace, which the head has
	return r.end(), nil
}

// renderArray returns the rendering of the fields that follow a head. The elements
// become the value of the field data, which is empty in fields.
func renderArray(fields any, elements iter.Seq2[any, error]) (*rendering, error) {
	frame, err := api.Encode(fields)
	if err != nil {
		return nil, err
	}
	before, after, found := strings.Cut(string(frame), `"data":[]`)
	if !found {
		return nil, errors.New("render locations: no empty data")
	}
	var r renderer
	r.text.WriteString(before[1:] + `"data":[`)
	separator := ""
	for element, err := range elements {
		if err != nil {
			return nil, err
		}
		r.text.WriteString(separator)
		if err := api.AppendJSON(&r.text, element); err != nil {
			return nil, err
		}
		separator = ","
		r.endElement()
	}
	r.text.WriteString("]" + after)
	return r.end(), nil
}

// renderingKey identifies a rendering. If any server changes the report, its version
// changes. If the package is replaced, the new one has other fields.
type renderingKey struct {
	tenantID  uuid.UUID
	cReportID string
	version   uint32 // of the report's row
	shape     string // version of the inquiry and kind of the data
	packageID string
	content   string
	fields    string
}

func newRenderingKey(tenantID uuid.UUID, report storedReport, shape string, p Package) renderingKey {
	key := renderingKey{
		tenantID: tenantID, cReportID: report.CReportID, version: report.Version, shape: shape,
		packageID: p.ID, fields: strings.Join(p.Fields, ","),
	}
	if p.Content != nil {
		key.content = *p.Content
	}
	return key
}

// Renderings caches the renderings that were used most recently.
type Renderings struct {
	max   int64       // bytes
	large turns.Queue // of the callers that make a large rendering

	mu      sync.Mutex
	used    int64
	recent  list.List // of cachedRendering, the most recent first
	entries map[renderingKey]*list.Element
}

type cachedRendering struct {
	key renderingKey
	*rendering
}

// NewRenderings returns a cache that uses at most the given number of bytes.
func NewRenderings(maxBytes int64) *Renderings {
	return &Renderings{max: maxBytes, entries: map[renderingKey]*list.Element{}}
}

// bytes returns the memory that the entry uses.
func (r cachedRendering) bytes() int64 {
	return r.stored() + int64(entryBytes+len(r.key.fields)+len(r.key.packageID))
}

// largeRendering is the memory in bytes from which a rendering counts as large. Making one takes so much CPU time that
// other calls would have to wait if a client requested many at once.
const largeRendering = 256 << 10

// get returns the rendering, which it makes and caches if necessary. memory estimates the memory in bytes that make
// needs. A server makes one large rendering at a time, and tenants alternate. A rendering whose key names no report is
// not cached.
func (c *Renderings) get(ctx context.Context, key renderingKey, memory int64, make func() (*rendering, error)) (*rendering, error) {
	if memory >= largeRendering && key.cReportID != "" {
		if err := c.large.Take(ctx, key.tenantID); err != nil {
			return nil, err
		}
		defer c.large.Pass()
	}
	if made := c.find(key); made != nil {
		return made, nil // another call has made it in the meantime
	}
	made, err := make()
	if err == nil && key.cReportID != "" {
		c.add(key, made)
	}
	return made, err
}

// find returns the rendering; nil if it is not cached.
func (c *Renderings) find(key renderingKey) *rendering {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(entry)
	return entry.Value.(cachedRendering).rendering
}

// add caches the rendering, unless it would displace most others.
func (c *Renderings) add(key renderingKey, r *rendering) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := cachedRendering{key, r}
	if _, ok := c.entries[key]; ok || entry.bytes() > c.max/4 {
		return
	}
	c.entries[key] = c.recent.PushFront(entry)
	c.used += entry.bytes()
	for c.used > c.max {
		oldest := c.recent.Remove(c.recent.Back()).(cachedRendering)
		delete(c.entries, oldest.key)
		c.used -= oldest.bytes()
	}
}
