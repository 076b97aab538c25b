package extract

import (
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

// settleDates compares the proposed end dates of the policy with its inception date. The end must be later, and is
// often a year later. The end of the expiring policy is the inception date of the next one.
func (d *extractor) settleDates() {
	if d.Best("policy_inception_date") == "" {
		d.startOfYear()
	}
	if d.Best("policy_inception_date") == "" {
		d.startAtEnd()
	}
	start := d.Best("policy_inception_date")
	if start == "" {
		return
	}
	d.Drop("it is the end of the expiring policy", func(c resolve.Reading) bool { return c.Field == "end_date" && c.Text == start })
	d.Edit(func(c *resolve.Reading) {
		if c.Field == "end_date" {
			c.Features.Set(resolve.Conflict, c.Text <= start)
			c.Features.Set(resolve.Agrees, parse.OneYearApart(start, c.Text))
		}
	})
}

// startOfYear proposes the date one year before the end of the policy as its inception date, if the document contains
// that date outside of quoted mails: "Re: Larch Parks Inc. – Umbrella – January 31, 2027".
func (d *extractor) startOfYear() {
	end := d.Best("end_date")
	if end == "" {
		return
	}
	for _, t := range d.TextsInOrder(d.tables.Taken) {
		if t.At.Quoted {
			continue
		}
		for _, found := range parse.Dates(t.Text, d.Order) {
			if parse.OneYearApart(found.Text, end) {
				d.Propose("policy_inception_date", found.Text, source.Prose, 0.9*found.Fit, t.At)
				return
			}
		}
	}
}

// startAtEnd handles documents without an inception date. The date on which a sentence says that the policy expires is then
// proposed as the inception date of the next policy: "the policy expires 3/1/2027".
func (d *extractor) startAtEnd() {
	ends := d.Ranked("end_date")
	if len(ends) == 0 {
		return
	}
	for _, l := range d.Lines {
		if l.At.Part == ends[0].Part && l.At.Line == ends[0].Place && policyExpires.MatchString(l.Text) {
			d.Derive("policy_inception_date", ends[0].Text, ends[0].Reading)
			return
		}
	}
}

// policyExpires matches the words for the end of a policy: "the policy expires on", or "Expiring" at the beginning.
var policyExpires = vocabulary.Pattern(`(?i)\b{{stated.placement}}\b[^.;\n]{0,60}?\b{{stated.expires}}\s|^\W*(?:{{stated.expires}}|expiring)\s`)
