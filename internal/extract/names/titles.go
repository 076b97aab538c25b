package names

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/letters"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

const (
	maxBodyWords = 9 // words in the name of a public body
	nearTitle    = 6 // texts below the insured's name in a title that can state its address
)

// title is a text at the top of the first document: a line, or a row of a table above its header.
type title struct {
	text string
	at   source.Place
}

// titles lists the texts at the top of the first document. In the text of a row, wide gaps separate
// the columns.
func (d *Reader) titles() (all []title) {
	for _, l := range d.Lines {
		switch {
		case l.At.Part != 0 || l.At.Quoted || len(all) >= topOfPart:
			return all
		case l.Table != nil:
			for _, row := range l.Table.Rows[:min(len(l.Table.Rows), maxTopRows)] {
				var cells []string
				for _, c := range row[:min(len(row), layout.MaxFormCells)] {
					if text := strings.TrimSpace(c.Text); text != "" && !c.Merged && len(text) <= maxFirmLine {
						cells = append(cells, text)
					}
				}
				if len(cells) > 0 && len(cells) <= maxTitleCells {
					all = append(all, title{strings.Join(cells, "\t"), l.At})
				}
			}
		case l.Text != "" && len(l.Text) <= maxFirmLine:
			all = append(all, title{pairs.WithoutMarkup(l.Text), l.At})
		}
	}
	return all
}

const maxTitleCells = 4 // cells of a row above the header of a table

// nameInTitles extracts the insured from a part of a title that is the name of a company or of a
// public body.
func (d *Reader) nameInTitles() {
	all := d.titles()
	for n, t := range all {
		for _, piece := range piecesOf(strings.ReplaceAll(t.text, ", ", "  ")) {
			if !ownName(piece) {
				continue
			}
			d.Propose("company_name", piece, source.Guess, 1, t.at)
			for _, below := range all[n:min(n+nearTitle, len(all))] {
				if written := addressIn(below.text); written != "" && !parse.NamesBroker(below.text) && !parse.InsurerName.MatchString(below.text) {
					d.Propose("address", written, source.Guess, 0.9, below.at)
					d.Propose("phone_number", parse.PhoneForm.FindString(strings.Replace(below.text, written, "", 1)), source.Guess, 0.9, below.at)
					break
				}
			}
			return
		}
	}
}

// ownName reports whether a text consists of the name of a company or a public body that can be the
// insured.
func ownName(text string) bool {
	text = strings.TrimRight(text, ". ")
	if len(text) > 80 || parse.NamesBroker(text) || parse.InsurerName.MatchString(text) || experts.MatchString(text) || parse.JobTitle.MatchString(text) ||
		strings.ContainsAny(text, ":@?") || covers.OnlyTitle(text) || parse.DocTitle.MatchString(text) || letters.Salutation.MatchString(text) {
		return false
	}
	if strings.HasPrefix(text, "A ") || slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "insuring" }) {
		return false // "A Stock Company", below the name of an insurer
	}
	if m := parse.LegalAtStart.FindString(text); m != "" && len(strings.TrimRight(m, ". ")) == len(text) {
		return true
	}
	return namesBody(text)
}

// namesBody reports whether a text is the name of a public or charitable body, such as "City of
// Quill" or "Stiftung Quell".
func namesBody(text string) bool {
	keys, fields := vocabulary.Words(text), strings.Fields(text)
	if len(fields) < 2 || len(fields) > maxBodyWords || !capitalName(fields) {
		return false
	}
	if len(fields) == 2 && strings.Trim(fields[1], parse.Digits) == "" {
		return false // "Markt 1" is a street
	}
	found := vocabulary.Parties().FindWords(keys)
	for _, m := range found {
		behind := len(keys) - 1 - m.Last
		if m.Meaning == "body" && (m.Class == "before" && m.First == 0 && behind > 0 ||
			m.Class == "behind" && m.First > 0 && (behind == 0 || behind <= 2 && strings.Trim(keys[len(keys)-1], parse.Digits) == "")) {
			return true
		}
	}
	return false
}

// capitalName reports whether all words begin with capitals or digits, apart from the small words
// within names.
func capitalName(fields []string) bool {
	for n, w := range fields {
		if !words.Capital(w) && !parse.HasDigit(w[:1]) && (n == 0 || !parse.IsJoiner(strings.TrimRight(w, "'’"))) {
			return false
		}
	}
	return words.Capital(fields[0])
}

// addressIn returns the address in a line whose parts can be separated by gaps, dashes and bars.
func addressIn(text string) string {
	pieces := piecesOf(text)
	for end, last := range pieces {
		if !parse.HasDigit(last) {
			continue
		}
		for start := end; start >= max(end-maxAddressPieces, 0); start-- {
			written := strings.Join(pieces[start:end+1], ", ")
			if a := address.Parse(written); len(written) <= parse.MaxAddress && parse.WrittenAddress(a) && parse.HasDigit(a.Street) && !parse.Sentence.MatchString(written) && parse.AddressWords(written) {
				return written
			}
		}
	}
	return ""
}

const maxAddressPieces = 3 // parts of an address before the part with the postal code
