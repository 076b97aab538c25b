package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// documentBytes is the size of a window of the document on a page.
	documentBytes = 24_000
	// maxReadAtOnce is the size in bytes of the largest file that the page of a submission
	// shows without being asked, since the document is read anew for each page.
	maxReadAtOnce = 2 << 20
)

// documentPane is the document beside its values.
type documentPane struct {
	documentWindow
	Link    string // that shows the document, if it is not shown yet
	Refusal string // why it cannot be shown
	Wanted  *extractedValue
	Found   bool // the evidence of Wanted is marked
	Sheets  []sheet
	Next    string // URL of the next window; "" if there is none
	Start   string // URL of the first window; "" if this is it
	Tabs    []documentTab
}

// documentWindow is a window of a document as the control API returns it.
type documentWindow struct {
	Parts []struct {
		Name, Format, Note string
		Depth, Pages       int
	}
	Part, Page int
	Pages      []struct {
		Number        int
		Width, Height float64
	}
	Blocks []documentBlock
	Next   string
}

type documentBlock struct {
	Place, Text, Label, Value, Title string
	Row                              int
	Rows                             [][]documentCell
	Quoted                           bool
	Spans                            []documentSpan
	Mark                             bool // it is the evidence
	ID                               string
}

type documentCell struct {
	Ref, Place, Text string
	Merged           bool
	Spans            []documentSpan
	Mark             bool
	ID               string
}

type documentSpan struct {
	Text                string
	Page                int
	X, Y, Width, Height float64
	Turns               int
	Mark                bool
	ID                  string
}

// Baseline returns the position of the text's baseline.
func (s documentSpan) Baseline() float64 { return s.Y + 0.78*s.Height }

// Rotation returns the transformation of text that is not upright; "" for upright text.
func (s documentSpan) Rotation() string {
	if s.Turns == 0 {
		return ""
	}
	x, y := s.X+0.78*s.Width, s.Y+s.Height
	switch s.Turns {
	case 2:
		x, y = s.X+s.Width, s.Y+0.22*s.Height
	case 3:
		x, y = s.X+0.22*s.Width, s.Y
	}
	return "translate(" + decimal(x) + " " + decimal(y) + ") rotate(" + strconv.Itoa(-90*s.Turns) + ")"
}

// Long returns the length of the text along its line, and Size its size.
func (s documentSpan) Long() float64 {
	if s.Turns%2 == 1 {
		return s.Height
	}
	return s.Width
}

// Size returns the size of the text.
func (s documentSpan) Size() float64 {
	if s.Turns%2 == 1 {
		return s.Width
	}
	return s.Height
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// sheet is a page of the document, to be drawn.
type sheet struct {
	Number        int
	Width, Height float64
	Spans         []documentSpan
}

// documentTab is the link to a part or a page.
type documentTab struct {
	Name, Format, Link string
	Current            bool
}

// loadDocument loads the part of the document that the URL names: a part, a page, a
// window, or the evidence of a value.
func (v *visit) loadDocument(p *submissionPage) (*documentPane, error) {
	pane := &documentPane{Wanted: v.selected(p)}
	if p.Size == 0 {
		return nil, nil
	}
	query := url.Values{"bytes": {strconv.Itoa(documentBytes)}}
	if pane.Wanted != nil {
		query.Set("place", pane.Wanted.Evidence)
		query.Set("text", pane.Wanted.Text)
	}
	asked := pane.Wanted != nil
	for _, name := range []string{"part", "page", "from"} {
		if value := v.Query.Get(name); value != "" {
			query.Set(name, value)
			asked = true
		}
	}
	if !asked && p.Size > maxReadAtOnce {
		pane.Link = v.documentURL("0", "", "")
		return pane, nil
	}
	if !asked && strings.HasSuffix(strings.ToLower(p.Filename), ".pdf") {
		query.Set("page", "1")
	}
	err := v.getInto(v.txPath+"/document?"+query.Encode(), &pane.documentWindow)
	if refused, ok := errors.AsType[*callError](err); ok && refused.Status != http.StatusUnauthorized {
		pane.Refusal = refused.Message
		return pane, nil
	}
	if err != nil {
		return nil, err
	}
	if pane.Wanted != nil {
		pane.mark()
	}
	pane.draw()
	if pane.documentWindow.Next != "" {
		page := ""
		if pane.Page > 0 {
			page = strconv.Itoa(pane.Page)
		}
		pane.Next = v.documentURL(strconv.Itoa(pane.Part), page, pane.documentWindow.Next)
	}
	if v.Query.Get("from") != "" {
		pane.Start = v.documentURL(strconv.Itoa(pane.Part), v.Query.Get("page"), "")
	}
	pane.addTabs(v)
	return pane, nil
}

// documentURL returns the URL that shows a window of the document.
func (v *visit) documentURL(part, page, from string) string {
	query := url.Values{"part": {part}}
	for name, value := range map[string]string{"page": page, "from": from, "edit": v.Query.Get("edit"), "loc": v.Query.Get("loc")} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return v.URL.Path + "?" + query.Encode() + "#document"
}

// addTabs adds the links to the parts, and to the pages of the current one.
func (p *documentPane) addTabs(v *visit) {
	for i, part := range p.Parts {
		page := ""
		if part.Pages > 0 {
			page = "1"
		}
		if len(p.Parts) > 1 && i < 60 {
			p.Tabs = append(p.Tabs, documentTab{part.Name, part.Format, v.documentURL(strconv.Itoa(i), page, ""), i == p.Part})
		}
	}
}

// Turn returns the links to the pages before and after the one that is shown.
func (p *documentPane) Turn(v *visit) map[string]string {
	if p.Page == 0 || p.Part >= len(p.Parts) {
		return nil
	}
	link := func(page int) string {
		if page < 1 || page > p.Parts[p.Part].Pages {
			return ""
		}
		return v.documentURL(strconv.Itoa(p.Part), strconv.Itoa(page), "")
	}
	return map[string]string{"before": link(p.Page - 1), "after": link(p.Page + 1)}
}

// draw moves the text that has a position on a page to that page.
func (p *documentPane) draw() {
	onPage := map[int]int{}
	for _, page := range p.Pages {
		onPage[page.Number] = len(p.Sheets)
		p.Sheets = append(p.Sheets, sheet{Number: page.Number, Width: page.Width, Height: page.Height})
	}
	add := func(spans []documentSpan, mark bool, id string) (drawn bool) {
		for i, span := range spans {
			at, ok := onPage[span.Page]
			if !ok {
				return false
			}
			if span.Mark = mark; i == 0 {
				span.ID = id
			}
			p.Sheets[at].Spans = append(p.Sheets[at].Spans, span)
			drawn = true
		}
		return drawn
	}
	var rest []documentBlock
	for _, b := range p.Blocks {
		drawn := add(b.Spans, b.Mark, b.ID)
		for _, row := range b.Rows {
			for _, c := range row {
				drawn = add(c.Spans, c.Mark || b.Mark, c.ID) || drawn
			}
		}
		if !drawn && !(p.Page > 0 && b.Text == "" && b.Label == "" && b.Rows == nil) {
			rest = append(rest, b)
		}
	}
	p.Blocks = rest
}

// mark marks the evidence of the wanted value: the blocks and cells at its place. If some of
// them contain the value, only those are marked.
func (p *documentPane) mark() {
	for _, exact := range []bool{true, false} {
		for i := range p.Blocks {
			b := &p.Blocks[i]
			for _, row := range b.Rows {
				for j := range row {
					c := &row[j]
					if here := c.Place == p.Wanted.Evidence || b.Place == p.Wanted.Evidence; here && (!exact || matches(p.Wanted.Text, c.Text)) && c.Text != "" {
						c.Mark, c.ID = true, p.evidenceID()
					}
				}
			}
			if b.Rows == nil && b.Place == p.Wanted.Evidence && (!exact || matches(p.Wanted.Text, b.Text+" "+b.Value)) && b.Text+b.Value != "" {
				b.Mark, b.ID = true, p.evidenceID()
			}
		}
		if p.Found || len(p.Pages) > 0 && !strings.Contains(p.Wanted.Evidence, "cell") || p.Part < len(p.Parts) && p.Parts[p.Part].Name == p.Wanted.Evidence {
			return // a whole page or part is no better than none
		}
	}
}

// evidenceID returns the id of the element that is marked first.
func (p *documentPane) evidenceID() string {
	if p.Found {
		return ""
	}
	p.Found = true
	return "evidence"
}

// matches reports whether a text of the document states a value, whose form can differ
// from that of the text: dates, amounts and spaces.
func matches(value, text string) bool {
	value, text = fold(value), fold(text)
	if value == "" || text == "" {
		return false
	}
	if strings.Contains(text, value) || len(text) >= 6 && strings.Contains(value, text) {
		return true
	}
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		for _, form := range []string{"01/02/2006", "1/2/2006", "2 january 2006", "january 2, 2006", "2 jan 2006", "jan 2, 2006", "02/01/2006", "2/1/2006", "01-02-2006", "02.01.2006", "1/2/06", "01/02/06", "02-jan-2006"} {
			if strings.Contains(text, strings.ToLower(day.Format(form))) {
				return true
			}
		}
		return false
	}
	digits := digitsOf(strings.TrimSuffix(value, ".00"))
	return len(digits) >= 3 && strings.Contains(digitsOf(text), digits)
}

// fold returns the text in lower case, with single spaces.
func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
