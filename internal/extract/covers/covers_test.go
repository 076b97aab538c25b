package covers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/observe"
)

func read(text string) []string {
	var lines []observe.Line
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, observe.Line{Text: line})
	}
	var names []string
	for _, c := range covers.Read(observe.Read(lines)) {
		names = append(names, c.Text)
	}
	return names
}

// TestRead compares the covers that texts request.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"bullets with limits", "Covers required:\n- Property damage (all risks): GBP 4m\n- Goods in transit, limit £50,000\n- Terrorism: required", []string{"Property damage", "Goods in transit", "Terrorism"}},
		{"ticked boxes, also of unknown words", "COVERAGES REQUESTED\n[x] Drone liability\n[ ] Crime\n[x] Cyber", []string{"Drone liability", "Cyber"}},
		{"answers", "COVERAGES REQUESTED\nFlood y/n: y\nCrime y/n: n", []string{"Flood"}},
		{"limits of any section", "SUBLIMITS\nNetwork Security Limit: $5,000,000\nRecords Count: 2,500,000", []string{"Network Security"}},
		{"a list on one line", "Coverages wanted: Building, BPP and Equipment Breakdown", []string{"Building", "BPP", "Equipment Breakdown"}},
		{"a sentence", "We are looking for property, BI (12 months) and public liability from 6 June 2026.", []string{"property", "BI", "public liability"}},
		{"German bullets", "Gewünschter Deckungsumfang:\n * Feuer\n * Leitungswasser\n * Sturm/Hagel", []string{"Feuer", "Leitungswasser", "Sturm/Hagel"}},
		{"French, on one line", "Garanties : incendie, vol, bris de machine", []string{"incendie", "vol", "bris de machine"}},
		{"a list of covers without a heading", "Terms on this basis please\n-  Material damage, all risks\n-  Business interruption, 24 months\n-  Employers' liability, limit £10,000,000", []string{"Material damage", "Business interruption", "Employers' liability"}},
		{"lines without marks", "Please quote as set out here.\nBuildings – stone and slate – £9,250,000\nContents – £1,420,000\nPublic liability – £10,000,000", []string{"Buildings", "Contents", "Public liability"}},
		{"exclusions", "EXCLUSIONS\n- Flood\n- Terrorism\n- Cyber", nil},
		{"claims", "Loss history:\n- Flood\n- Theft\n- Fire", nil},
		{"a list of something else", "Attachments:\n- Loss runs\n- Photographs\n- Property schedule", nil},
		{"retentions", "Requested terms:\n- $25K retention", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, read(test.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestAsked compares the lines of business that sentences ask for.
func TestAsked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"We are seeking terms for Birch Timber Ltd for Commercial Combined, renewing on 14 March.": {"Commercial Combined"},
		"Attached: SOV for Birch Storage Inc. Need property quote eff. 6/15.":                      {"Property"},
		"Please quote D&O and EPL for Birch Robotics Inc.":                                         {"D&O", "EPL"},
		"This is a Commercial Property and Inland Marine submission for Birch Lumber Co.":          {"Commercial Property", "Inland Marine"},
		"Birch Dairy LLC, effective 7/1. Commercial property and general liability please.":        {"Commercial Property", "General Liability"},
		"Could you give us a quotation for motor fleet insurance for Birch Haulage Ltd?":           {"Motor Fleet"},
		"The lines we would like quoted are general liability and umbrella.":                       {"General Liability", "Umbrella"},
		"Please quote for Birch Marine Aggregates Ltd.":                                            nil,
		"Need a $10M xs $10M property quote for Birch Cold Stores LLC.":                            {"Property"},
		"We do not need auto.": nil,
		"We need property as the present carrier has declined to renew.":    {"Property"},
		"The auto renewal is due on 1 May, please quote.":                   {"Auto"},
		"New property submission for Birch Ltd, which was founded in 1980.": {"Property"},
		"Auto and GL please.":                            {"Auto", "GL"},
		"Auto.auto.GL quote":                             {"GL"},
		"Thank you for considering our GL submission.":   {"GL"},
		"An existing client wants a GL quote.":           {"GL"},
		"New auto submission from Birch Brokers.":        {"Auto"},
		"Birch Ltd - GL renewal - is on risk since 2020": {"GL"},
	} {
		if diff := cmp.Diff(want, covers.Asked(text)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

// TestStatements checks that sentences that name covers and do not ask for them request no lines of business.
func TestStatements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The auto renewal was declined last year.",
		"Loss runs for the GL renewal are attached.",
		"Our auto program is with Quill Insurance.",
		"We attach the expiring property quote.",
		"This is a property in Leeds.",
		"This is a cyber incident.",
		"We need help with an auto accident.",
		"We are placing property elsewhere.",
		"They insure property and auto with Harbour.",
		"The contract requires liability.",
		"Please ignore the umbrella quote.",
		"Umbrella quote not required.",
		"Umbrella quote - not required",
		"Umbrella quote: no longer needed",
		"No umbrella quote is required.",
		"Please see the attached loss runs for the property renewal which was placed elsewhere.",
		"We no longer need a property quote.",
		"Thanks for the property quote.",
		"We received the GL quote.",
		"They had a GL quote from Harbour.",
		"Vielen Dank für Ihr Angebot zur Haftpflicht.",
		"El seguro de auto fue cancelado.",
		"No pedimos seguro de auto.",
		"The lease requires us to carry umbrella, as discussed.",
		"Der Kunde hat eine Sachversicherung. Die Haftpflicht Anfrage wurde zurückgezogen.",
		"Die Haftpflicht Anfrage ist erledigt.",
		"Contrat automobile résilié.",
		"La garantie décennale est chez Axa.",
		"La póliza de incendio está con otra compañía.",
		"De offerte brand hebben wij al.",
		"De offerte aansprakelijkheid is ingetrokken.",
	} {
		if lines := covers.Asked(text); len(lines) > 0 {
			t.Errorf("%s: %q", text, lines)
		}
	}
}

// TestRunsOn checks rows of boxes.
func TestRunsOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"BOILER & MACHINERY BUSINESS AUTO BUSINESS OWNERS": true,
		"X PROPERTY X GENERAL LIABILITY":                   true,
		"Property and General Liability":                   false,
		"Commercial General Liability":                     false,
	} {
		if got := covers.RunsOn(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestTable compares the covers in tables.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rows [][]string
		want []string
	}{
		{"limits", [][]string{{"Section", "Limit"}, {"Cyber", "£2m"}, {"Intellectual Property", "£250k"}, {"Total", "£3m"}}, []string{"Cyber", "Intellectual Property"}},
		{"requested", [][]string{{"Coverage", "Requested", "Limit"}, {"Hired and Non-Owned Auto", "[X]", "$1,000,000"}, {"Stop Gap Liability", "[ ]", ""}, {"Crime", "No", ""}}, []string{"Hired and Non-Owned Auto"}},
		{"locations", [][]string{{"Location", "Building limit"}, {"1", "$1,000,000"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var names []string
			for _, c := range covers.Table(test.rows) {
				names = append(names, c.Text)
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestLines compares the lines of business that titles name.
func TestLines(t *testing.T) {
	t.Parallel()
	for title, want := range map[string][]string{
		"CYBER INSURANCE SUBMISSION FORM":                    {"Cyber"},
		"ERRORS & OMISSIONS RENEWAL APPLICATION":             {"Errors & Omissions"},
		"Property owners insurance":                          {"Property Owners"},
		"Statement of Values — Northern Portfolio":           {"Property"},
		"Bluewater Marine LLC":                               nil,
		"Bluewater Marine LLC - Property renewal":            {"Property"},
		"RENEWAL — Pinnacle Bancorp (PCBK) — D&O — May 2027": {"D&O"},
		"Directors and officers of the company":              nil,
		"BUSINESSOWNERS POLICY - PROPERTY COVERAGE":          {"Businessowners", "Property"},
		"Stand-alone EPLI - Larch Living Group, LLC":         {"EPLI"},
		"Builders Risk for Larch Tower":                      {"Builders Risk"},
		"Property Larch Partners LLC":                        nil,
	} {
		if diff := cmp.Diff(want, covers.Lines(title)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", title, diff)
		}
	}
}
