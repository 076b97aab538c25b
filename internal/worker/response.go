package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

// maxElements is the number of elements that all lists of a response may have: the
// locations with each of their fields once, the values of the company and the policy,
// and the parts.
var maxElements = maxLocations*(1+len(locationFields)) + 2*maxValues + extract.MaxParts

// maxToken is the maximum length in bytes of a value, part or text of a response as
// JSON: two texts, of which each byte can be escaped as six, and the rest.
const maxToken = 2*6*maxText + 16<<10

// readResponse reads a response of at most the size in bytes and checks it. It counts elements
// and bytes while it reads, because a process that has parsed untrusted bytes may
// respond with anything: the memory for a response is not a multiple of its length.
func readResponse(r io.Reader, most uint32) (*response, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > most {
		return nil, invalidMessageError{fmt.Errorf("message of %d bytes exceeds the limit of %d", size, most)}
	}
	body := &frameBody{from: r, left: int64(size)}
	d := &responseDecoder{Decoder: json.NewDecoder(transform.NewReader(body, encoding.UTF8Validator)), body: body}
	d.DisallowUnknownFields()
	res := &response{}
	err := d.response(res)
	switch {
	case body.err != nil:
		return nil, body.err
	case err == nil:
		err = res.check()
	}
	if err != nil {
		return nil, invalidMessageError{err}
	}
	return res, nil
}

// frameBody reads the bytes of a message, up to an offset that the decoder moves.
type frameBody struct {
	from    io.Reader
	left    int64 // bytes of the message that are not read yet
	read    int64
	allowed int64 // offset up to which the decoder may read now
	err     error // of from: the message did not arrive completely
}

func (b *frameBody) Read(p []byte) (int, error) {
	switch {
	case b.left == 0:
		return 0, io.EOF
	case b.read >= b.allowed:
		return 0, errors.New("a value is too long")
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left, b.allowed-b.read)])
	b.read, b.left = b.read+int64(n), b.left-int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if b.left > 0 && err != nil {
		b.err = err
		return n, err
	}
	return n, nil
}

// responseDecoder decodes a response element by element.
type responseDecoder struct {
	*json.Decoder
	body     *frameBody
	elements int           // decoded so far
	values   []field.Value // of the list that is being decoded
}

// allowNext allows to read the next token or value.
func (d *responseDecoder) allowNext() { d.body.allowed = d.InputOffset() + maxToken }

func (d *responseDecoder) decode(target any) error {
	d.allowNext()
	return d.Decode(target)
}

// open reads the start of an object or a list. It reports false for null.
func (d *responseDecoder) open(delimiter json.Delim) (bool, error) {
	d.allowNext()
	token, err := d.Token()
	if err != nil || token == nil {
		return false, err
	}
	if token != delimiter {
		return false, fmt.Errorf("got %v, want %v", token, delimiter)
	}
	return true, nil
}

// end reads the end of an object or a list.
func (d *responseDecoder) end() error {
	d.allowNext()
	_, err := d.Token()
	return err
}

// object decodes an object with the given members, each at most once. It reports false
// for null.
func (d *responseDecoder) object(members map[string]func() error) (bool, error) {
	ok, err := d.open('{')
	if err != nil || !ok {
		return false, err
	}
	for d.More() {
		d.allowNext()
		token, err := d.Token()
		if err != nil {
			return false, err
		}
		name, _ := token.(string)
		decode := members[name]
		if decode == nil {
			return false, fmt.Errorf("unknown or repeated member %.100q", name)
		}
		delete(members, name)
		if err := decode(); err != nil {
			return false, err
		}
	}
	return true, d.end()
}

// list decodes a list of at most the given number of elements, or null.
func (d *responseDecoder) list(most int, decode func() error) error {
	ok, err := d.open('[')
	if err != nil || !ok {
		return err
	}
	for n := 0; d.More(); n++ {
		d.elements++
		if n == most || d.elements > maxElements {
			return fmt.Errorf("too many elements: %d in a list, %d in all", n+1, d.elements)
		}
		if err := decode(); err != nil {
			return err
		}
	}
	return d.end()
}

func (d *responseDecoder) response(r *response) error {
	into := func(target any) func() error { return func() error { return d.decode(target) } }
	_, err := d.object(map[string]func() error{
		"extraction": func() (err error) {
			r.Extraction, err = d.extraction()
			return err
		},
		"view": func() (err error) {
			r.View, err = d.view()
			return err
		},
		"reason":     into(&r.Reason),
		"cause":      into(&r.Cause),
		"fault":      into(&r.Fault),
		"read_error": into(&r.ReadError),
		"cpu_time":   into(&r.CPUTime),
		"mapped":     into(&r.Mapped),
	})
	if err != nil {
		return err
	}
	d.allowNext()
	if _, err := d.Token(); err != io.EOF {
		return errors.New("data after the message")
	}
	return nil
}

func (d *responseDecoder) extraction() (*extract.Extraction, error) {
	e := &extract.Extraction{}
	ok, err := d.object(map[string]func() error{
		"facts":   func() error { return d.valuesOf(&e.Facts) },
		"options": func() error { return d.valuesOf(&e.Options) },
		"locations": func() error {
			e.Locations = [][]field.Value{}
			return d.list(maxLocations, func() error {
				var row []field.Value
				err := d.valuesOf(&row)
				e.Locations = append(e.Locations, row)
				return err
			})
		},
		"parts": func() error {
			e.Parts = []extract.Part{}
			return d.list(extract.MaxParts, func() error {
				var part extract.Part
				err := d.decode(&part)
				e.Parts = append(e.Parts, part)
				return err
			})
		},
	})
	if err != nil || !ok {
		return nil, err
	}
	return e, nil
}

// view decodes a view. A cell or a span takes more memory than it takes bytes, so their
// number is limited.
func (d *responseDecoder) view() (*view.Window, error) {
	w, cells := &view.Window{Pages: []view.Page{}, Parts: []view.Part{}, Blocks: []view.Block{}}, 0
	into := func(target any) func() error { return func() error { return d.decode(target) } }
	ok, err := d.object(map[string]func() error{
		"parts": func() error {
			return d.list(extract.MaxParts, func() error {
				w.Parts = append(w.Parts, view.Part{})
				return d.decode(&w.Parts[len(w.Parts)-1])
			})
		},
		"part": into(&w.Part), "page": into(&w.Page), "next": into(&w.Next),
		"pages": func() error {
			return d.list(extract.MaxParts, func() error {
				w.Pages = append(w.Pages, view.Page{})
				return d.decode(&w.Pages[len(w.Pages)-1])
			})
		},
		"blocks": func() error {
			return d.list(maxViewCells, func() error {
				var block view.Block
				err := d.decode(&block)
				w.Blocks = append(w.Blocks, block)
				for _, row := range block.Rows {
					cells += 1 + len(row)
				}
				if cells += len(block.AllSpans()); cells > maxViewCells {
					return errors.New("too many cells and spans")
				}
				return err
			})
		},
	})
	if err != nil || !ok {
		return nil, err
	}
	return w, nil
}

// valuesOf decodes a list of values.
func (d *responseDecoder) valuesOf(list *[]field.Value) error {
	d.values = d.values[:0]
	err := d.list(maxValues, func() error {
		d.values = append(d.values, field.Value{})
		return d.decode(&d.values[len(d.values)-1])
	})
	*list = append([]field.Value{}, d.values...)
	return err
}
