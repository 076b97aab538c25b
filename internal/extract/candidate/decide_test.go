package candidate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
)

// TestOnlyCompetitorsAreDecidedAgain checks that the accepted values of each field are the same as if
// all fields were decided again, after each change to the candidates.
func TestOnlyCompetitorsAreDecidedAgain(t *testing.T) {
	t.Parallel()
	d := NewSet(layout.Read(nil))
	fields := []string{"company_name", "broker_name", "insurer", "underwriter", "email_id", "broker_email", "annual_revenue", "product", "website"}
	check := func(change string) {
		t.Helper()
		all := resolve.Fitted.Decide(resolve.Fitted.Values(d.Readings))
		for _, name := range fields {
			var want []resolve.Value
			for _, v := range all[name] {
				if v.Given {
					want = append(want, v)
				}
			}
			ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Rivals" }, cmp.Ignore()) // indexes
			if diff := cmp.Diff(want, d.Ranked(name), ignore); diff != "" {
				t.Errorf("%s: %s (-all +competitors):\n%s", change, name, diff)
			}
			if best := d.Best(name); len(want) > 0 && best != want[0].Text || len(want) == 0 && best != "" {
				t.Errorf("%s: the best %s is %q", change, name, best)
			}
		}
	}
	for i, c := range []struct{ name, text string }{
		{"company_name", "Quill and Sons Ltd"},
		{"broker_name", "Birch Insurance Brokers Ltd"},
		{"annual_revenue", "£2,000,000"},
		{"broker_name", "Quill and Sons Ltd"},
		{"insurer", "Birch Insurance Brokers Ltd"},
		{"email_id", "ann@quill.example"},
		{"broker_email", "ann@quill.example"},
		{"product", "Property"},
		{"product", "Cyber"},
		{"annual_revenue", "£3,000,000"},
		{"underwriter", "Ann Quill"},
		{"website", "www.quill.example"},
	} {
		d.Propose(c.name, c.text, source.Label, 1, source.Place{Line: i})
		check("proposed " + c.name)
	}
	d.Edit(func(r *resolve.Reading) {
		if r.Field == "broker_email" {
			r.Field = "email_id"
		}
	})
	check("edited")
	d.Drop("test", func(r resolve.Reading) bool { return r.Field == "broker_name" })
	check("dropped")
	if len(d.Readings) < 10 {
		t.Errorf("only %d candidates", len(d.Readings))
	}
}
