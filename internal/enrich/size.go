package enrich

import (
	"strconv"
	"time"

	"understudy.example/internal/field"
)

// sector holds what a company of an industry looks like in the middle: staff,
// age in years, revenue and pay per head in dollars. The figures are round and
// only meant to be plausible.
type sector struct{ staff, age, revenue, pay int }

// sectors are by the first two digits of NAICS 2012.
var sectors = map[string]sector{
	"11": {8, 28, 190_000, 38_000}, "21": {24, 18, 520_000, 92_000}, "22": {30, 35, 690_000, 98_000},
	"23": {12, 19, 240_000, 64_000}, "31": {32, 27, 290_000, 52_000}, "32": {36, 29, 380_000, 62_000},
	"33": {38, 28, 310_000, 66_000}, "42": {14, 22, 880_000, 70_000}, "44": {13, 20, 310_000, 36_000},
	"45": {11, 18, 260_000, 32_000}, "48": {16, 16, 190_000, 54_000}, "49": {22, 15, 150_000, 45_000},
	"51": {15, 13, 330_000, 104_000}, "52": {10, 20, 420_000, 108_000}, "53": {6, 19, 310_000, 60_000},
	"54": {9, 15, 180_000, 88_000}, "55": {20, 24, 390_000, 118_000}, "56": {18, 14, 95_000, 42_000},
	"61": {26, 27, 85_000, 44_000}, "62": {17, 19, 115_000, 54_000}, "71": {12, 17, 98_000, 36_000},
	"72": {16, 13, 68_000, 25_000}, "81": {7, 19, 92_000, 38_000}, "92": {45, 60, 120_000, 62_000},
}

// anyone is a company whose industry is not known.
var anyone = sector{12, 18, 190_000, 56_000}

// drawnIn is the year from which drawn ages count back: a company must not
// become younger with the years.
const drawnIn = 2024

// estimate adds age and size. What was read is the measure for the rest: staff
// follows from revenue and the other way round.
func (c *company) estimate(today time.Time) {
	if !c.record.has("company_name") {
		return
	}
	typical, base := anyone, 0.32
	if codes, _ := c.record.Values["primary_naics_2012"].([]field.Code); len(codes) > 0 && len(codes[0].Code) >= 2 {
		if s, ok := sectors[codes[0].Code[:2]]; ok {
			typical, base = s, 0.42
		}
	}
	c.age(typical, base, today)
	c.size(typical, base)
}

func (c *company) age(typical sector, base float64, today time.Time) {
	r := c.record
	founded := drawnIn - min(max(c.hash.spread("year_founded", typical.age, narrow), 1), 140)
	r.fill("year_founded", strconv.Itoa(founded), base)
	if today.IsZero() {
		return
	}
	founded, err := strconv.Atoi(r.text("year_founded"))
	if err != nil || founded < 1000 || founded > today.Year() {
		return
	}
	years := today.Year() - founded
	score := r.Scores["year_founded"] * splitOff
	r.fill("year_in_business", years, score)
	old := "N"
	if years > 3 {
		old = "Y"
	}
	r.fill("has_business_in_operation_for_more_than_3yrs", old, score)
}

func (c *company) size(typical sector, base float64) {
	r := c.record
	perHead := c.hash.spread("annual_revenue", typical.revenue, narrow)
	staff := max(1, c.hash.spread("total_full_time_employees", typical.staff, wide))
	if revenue, ok := number(r.text("annual_revenue")); ok && revenue > 0 {
		staff = max(1, int(revenue)/perHead)
	}
	r.fill("total_full_time_employees", strconv.Itoa(staff), base)
	if read, ok := number(r.text("total_full_time_employees")); ok && read >= 1 {
		staff = int(min(read, 5_000_000))
	}
	r.fill("annual_revenue", money(float64(threeFigures(staff*perHead))), base-0.02)
	payroll := staff * c.hash.spread("annual_payroll", typical.pay, narrow)
	if revenue, ok := number(r.text("annual_revenue")); ok && revenue > 0 {
		payroll = min(payroll, int(revenue)*6/10) // wages above revenue would look wrong
	}
	r.fill("annual_payroll", money(float64(threeFigures(payroll))), base-0.04)
}

// threeFigures cuts an estimate to the precision that it has.
func threeFigures(amount int) int {
	unit := 1
	for amount/unit >= 1000 {
		unit *= 10
	}
	return amount / unit * unit
}
