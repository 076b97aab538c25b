package captions_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/captions"
	"understudy.example/internal/extract/layout"
)

// turned returns the lines and the rows of tables, joined with bars, after Turn.
func turned(blocks ...content.Block) string {
	d := candidate.NewSet(layout.Read([]content.Part{{Blocks: blocks}}))
	captions.Turn(d)
	var all []string
	for _, l := range d.Lines {
		if l.Table == nil && l.Text != "" {
			all = append(all, strings.ReplaceAll(l.Text, "\t", "|"))
		}
		if l.Table != nil {
			for _, row := range layout.Texts(l.Table.Rows) {
				if text := strings.Trim(strings.Join(row, "|"), "|"); text != "" {
					all = append(all, text)
				}
			}
		}
	}
	return strings.Join(all, "\n")
}

func table(rows ...string) content.Block {
	t := &content.Table{}
	for _, row := range rows {
		var cells []content.Cell
		for text := range strings.SplitSeq(row, "|") {
			cells = append(cells, content.Cell{Text: text})
		}
		t.Rows = append(t.Rows, cells)
	}
	return content.Block{Table: t}
}

func lines(all ...string) content.Block {
	return content.Block{Text: strings.ReplaceAll(strings.Join(all, "\n"), "|", "\t")}
}

func TestCaptionsBesideValuesThatAreLabels(t *testing.T) {
	got := turned(
		lines("Harbour Quay Brokers LLC|Ada Quill|555-010-0188", "Agency Name|Contact|Phone"),
		table("Corporation|1987||555-010-0142", "Form of ownership|Year established||Telephone"),
		table("02/14/2031|02/14/2032|500 / 500", "Effective Date (12:01 AM)|Expiration Date|Rating basis (000s)"),
	)
	want := "Agency Name|Contact|Phone\nHarbour Quay Brokers LLC|Ada Quill|555-010-0188\n" +
		"Form of ownership|Year established|Telephone\nCorporation|1987|555-010-0142\n" +
		"Effective Date|Expiration Date|Rating basis (000s)\n02/14/2031|02/14/2032|500 / 500"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSectionHeadingsAreNotCaptions(t *testing.T) {
	got := turned(
		lines("Alder Underwriting Pty Ltd, 4 Elm Row, Salem, OR 97301", "A. The Company", "Fenwick Services Pty Ltd", "Name of company", "17/03/1999|www.fenwick.example", "Date established|Website",
			"5 Oak Row|Salem|OR|97301", "Mailing address|City|State|Zip"),
	)
	want := "Alder Underwriting Pty Ltd, 4 Elm Row, Salem, OR 97301\nA. The Company\nName of company\nFenwick Services Pty Ltd\n" +
		"Date established|Website\n17/03/1999|www.fenwick.example\nMailing address|City|State|Zip\n5 Oak Row|Salem|OR|97301"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestCaptionsBelowValues(t *testing.T) {
	got := turned(
		lines("Harbour Quay Brokers LLC|Ada Quill|555-010-0188"),
		table("Agency Name||Contact||Phone", "12 Mill Street||Dayton|OH|45402", "Mailing Address||City|State|Zip"),
		lines("02/14/2031|02/14/2032", "Proposed Effective Date|Proposed Expiration Date", "Comments"),
	)
	want := "Agency Name|Contact|Phone\nHarbour Quay Brokers LLC|Ada Quill|555-010-0188\n" +
		"Mailing Address|City|State|Zip\n12 Mill Street|Dayton|OH|45402\n" +
		"Proposed Effective Date|Proposed Expiration Date\n02/14/2031|02/14/2032\nComments"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestCaptionsInGerman(t *testing.T) {
	got := turned(lines(
		"Quell Werkzeugbau GmbH|0221 5550 134", "Name des Antragstellers|Telefon",
		"Mühlenweg 3|50670|Köln", "Straße|PLZ|Ort",
		"01.03.2031|01.03.2032", "Versicherungsbeginn|Versicherungsablauf",
	))
	want := "Name des Antragstellers|Telefon\nQuell Werkzeugbau GmbH|0221 5550 134\nStraße|PLZ|Ort\nMühlenweg 3|50670|Köln\nVersicherungsbeginn|Versicherungsablauf\n01.03.2031|01.03.2032"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Labels above their values stay where they are, also in lists whose header is repeated.
func TestCaptionsAboveValues(t *testing.T) {
	for _, b := range []content.Block{
		lines("Named Insured|Telephone", "Quill Ltd|01924 555 0100", "Address|City|State|Zip", "12 Mill Street|Dayton|OH|45402", "Effective Date|Expiration Date", "02/14/2031|02/14/2032"),
		table("Address|City|State|Zip", "1 Elm Street|Dayton|OH|45402", "2 Elm Street|Dayton|OH|45402", "Address|City|State|Zip", "Harbour region|||",
			"3 Elm Street|Dayton|OH|45402", "4 Elm Street|Dayton|OH|45402", "Address|City|State|Zip", "Inland region|||", "5 Elm Street|Dayton|OH|45402"),
	} {
		var want strings.Builder
		want.WriteString(strings.ReplaceAll(b.Text, "\t", "|"))
		if b.Table != nil {
			for _, row := range layout.Texts(b.Table.Rows) {
				want.WriteString(strings.Trim(strings.Join(row, "|"), "|") + "\n")
			}
		}
		if got := turned(b); got != strings.TrimSpace(want.String()) {
			t.Errorf("got:\n%s\nwant:\n%s", got, want.String())
		}
	}
}

func TestCaptionWithColon(t *testing.T) {
	got := turned(
		lines("2216 Bay Terrace|Tacoma|WA|98402", "Principal Address|City|State|Zip Code"),
		lines("1979|$8,375,000|71 / 34", "Year Organized|Total Annual Revenues|Employees: Full-time / Part-time"),
		lines("08/01/2031|08/01/2032", "Renewal Effective Date|Renewal Expiration Date"),
	)
	want := "Principal Address|City|State|Zip Code\n2216 Bay Terrace|Tacoma|WA|98402\n" +
		"Year Organized|Total Annual Revenues|Employees: Full-time / Part-time\n1979|$8,375,000|71 / 34\n" +
		"Renewal Effective Date|Renewal Expiration Date\n08/01/2031|08/01/2032"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
