package main

// application returns an agency's application for commercial property insurance
// as a PDF: a page of labels with values, and a page with the schedule of
// locations and questions.
func application() ([]byte, error) {
	document := &pdf{title: "Commercial property application"}
	drawParties(document.page(612, 792))
	drawSchedule(document.page(792, 612))
	return document.bytes(), nil
}

// pair is a label with its value.
type pair struct{ label, value string }

const (
	textSize = 9.0
	lineStep = 17.0
)

func drawParties(p *page) {
	p.text(boldFont, 15, 54, 738, "COMMERCIAL PROPERTY APPLICATION")
	drawPairs(p, 54, 718, 50, []pair{{"Date:", "03/09/2026"}})

	drawHeading(p, 54, 558, 690, "AGENCY")
	drawPairs(p, 54, 672, 108, []pair{
		{"Agency:", "Pennywhistle Insurance Agency, Inc."},
		{"Agency address:", "27 Saltbox Lane, Suite 4, Sacramento, CA 95814"},
		{"Agency phone:", "(916) 555-0133"},
	})
	drawPairs(p, 330, 672-2*lineStep, 78, []pair{
		{"Agency email:", "desk@pennywhistle.example"},
	})
	drawPairs(p, 54, 672-3*lineStep, 108, []pair{
		{"Producer contact:", "Broker desk"},
	})

	drawHeading(p, 54, 558, 588, "APPLICANT")
	drawPairs(p, 54, 570, 108, []pair{
		{"Named insured:", "Thistlewick Cold Storage LLC"},
		{"Mailing address:", "1900 Frostmark Avenue, Fresno, CA 93706"},
		{"Business phone:", "(559) 555-0176"},
		{"Entity type:", "Limited liability company"},
		{"Year established:", "2004"},
		{"Annual revenue:", "$18,750,000"},
		{"NAICS code:", "493120"},
	})
	drawPairs(p, 330, 570-2*lineStep, 108, []pair{
		{"Website:", "www.thistlewick.example"},
		{"FEIN:", "00-0012345"},
		{"Full-time employees:", "64"},
		{"Annual payroll:", "$3,420,000"},
	})
	drawPairs(p, 54, 570-7*lineStep, 108, []pair{
		{"Description of operations:", ""},
		{"", "Refrigerated warehousing and blast freezing of fruit, vegetables and prepared foods"},
		{"", "for growers and packers of the San Joaquin Valley, in four ammonia-cooled buildings."},
	})

	drawHeading(p, 54, 558, 376, "POLICY")
	drawPairs(p, 54, 358, 132, []pair{
		{"Proposed effective date:", "05/01/2026"},
		{"Effective time:", "12:01 AM"},
		{"Line of business:", "Commercial Property"},
		{"Limit of liability:", "$45,000,000"},
		{"Coverages requested:", "Building, Business personal property, Stock, Business income"},
	})
	drawPairs(p, 330, 358, 132, []pair{
		{"Proposed expiration date:", "05/01/2027"},
		{"Indemnity period:", "18 months"},
		{"Transaction type:", "New business"},
		{"Estimated premium:", "$168,400"},
	})
	p.text(regularFont, 8, 54, 40, "Page 1 of 2")
}

// drawHeading draws the heading of a section with a rule under it.
func drawHeading(p *page, left, right, y float64, text string) {
	p.text(boldFont, 10, left, y, text)
	p.line(left, y-4, right, y-4)
}

// drawPairs draws one label per line, each with its value to the right. indent is
// the distance between a label's start and its value's.
func drawPairs(p *page, x, y, indent float64, pairs []pair) {
	for i, pair := range pairs {
		at := y - float64(i)*lineStep
		if pair.label != "" {
			p.text(boldFont, textSize, x, at, pair.label)
		}
		if pair.value != "" {
			p.text(regularFont, textSize, x+indent, at, pair.value)
		}
	}
}

var locationSchedule = struct {
	edges []float64 // x coordinates of the column borders
	rows  [][]string
}{
	edges: []float64{36, 64, 176, 216, 246, 280, 380, 482, 534, 592, 646, 702, 756},
	rows: [][]string{
		{"Loc #", "Street address", "City", "State", "Zip", "Construction", "Occupancy", "Sprinklered", "Building", "Contents", "Stock", "BI"},
		{"1", "1900 Frostmark Avenue", "Fresno", "CA", "93706", "Non-combustible", "Refrigerated warehouse", "Y", "8,400,000", "2,650,000", "5,900,000", "3,200,000"},
		{"2", "1912 Frostmark Avenue", "Fresno", "CA", "93706", "Non-combustible", "Blast freezing plant", "Y", "4,750,000", "3,100,000", "1,450,000", "2,100,000"},
		{"3", "88 Silver Plum Road", "Modesto", "CA", "95351", "Joisted masonry", "Refrigerated warehouse", "N", "3,150,000", "820,000", "2,300,000", "1,050,000"},
		{"4", "6 Orchard Gate Way", "Visalia", "CA", "93291", "Masonry non-combustible", "Packing shed and offices", "N", "2,275,000", "640,000", "385,000", "725,000"},
	},
}

const firstAmountColumn = 8 // this column and all after it contain amounts

func drawSchedule(p *page) {
	const (
		size   = 8
		height = 18
		top    = 540
	)
	left, right := locationSchedule.edges[0], locationSchedule.edges[len(locationSchedule.edges)-1]
	bottom := float64(top - height*len(locationSchedule.rows))
	p.text(boldFont, 10, left, top+10, "SCHEDULE OF LOCATIONS")
	for i, row := range locationSchedule.rows {
		y := float64(top - height*i)
		p.line(left, y, right, y)
		for k, cell := range row {
			switch {
			case i == 0:
				p.text(boldFont, size, locationSchedule.edges[k]+3, y-12, cell)
			case k < firstAmountColumn:
				p.text(regularFont, size, locationSchedule.edges[k]+3, y-12, cell)
			default:
				p.number(size, locationSchedule.edges[k+1]-4, y-12, cell)
			}
		}
	}
	p.line(left, bottom, right, bottom)
	for _, x := range locationSchedule.edges {
		p.line(x, top, x, bottom)
	}

	drawHeading(p, left, right, 410, "GENERAL QUESTIONS")
	drawPairs(p, left, 392, 420, []pair{
		{"Has the applicant been in business for more than 3 years?", "Yes"},
		{"Has the applicant ever filed for bankruptcy?", "No"},
		{"Is the applicant a non-profit organization?", "No"},
		{"Does any employee work with heat or fire?", "No"},
		{"Does any employee work at docks?", "Yes"},
		{"Does any employee work underground?", "No"},
	})
	p.text(regularFont, 8, left, 40, "Page 2 of 2")
}
