package enrich

import (
	"strconv"
	"time"

	"understudy.example/internal/field"
)

// profile holds the medians of an industry: employees, age in years, and annual
// revenue and pay per employee in dollars. The figures are round and only need to be
// plausible.
type profile struct{ staff, age, revenue, pay int }

// profiles are keyed by the first two digits of the NAICS 2012 code.
var profiles = map[string]profile{
	"11": {8, 28, 190_000, 38_000}, "21": {24, 18, 520_000, 92_000}, "22": {30, 35, 690_000, 98_000},
	"23": {12, 19, 240_000, 64_000}, "31": {32, 27, 290_000, 52_000}, "32": {36, 29, 380_000, 62_000},
	"33": {38, 28, 310_000, 66_000}, "42": {14, 22, 880_000, 70_000}, "44": {13, 20, 310_000, 36_000},
	"45": {11, 18, 260_000, 32_000}, "48": {16, 16, 190_000, 54_000}, "49": {22, 15, 150_000, 45_000},
	"51": {15, 13, 330_000, 104_000}, "52": {10, 20, 420_000, 108_000}, "53": {6, 19, 310_000, 60_000},
	"54": {9, 15, 180_000, 88_000}, "55": {20, 24, 390_000, 118_000}, "56": {18, 14, 95_000, 42_000},
	"61": {26, 27, 85_000, 44_000}, "62": {17, 19, 115_000, 54_000}, "71": {12, 17, 98_000, 36_000},
	"72": {16, 13, 68_000, 25_000}, "81": {7, 19, 92_000, 38_000}, "92": {45, 60, 120_000, 62_000},
}

// defaultProfile applies to a company whose industry is unknown.
var defaultProfile = profile{12, 18, 190_000, 56_000}

// referenceYear is the year from which drawn ages are subtracted. It is fixed so that
// the year founded does not change from one year to the next.
const referenceYear = 2024

// addAgeAndSize adds estimates of the company's age and size. They are consistent with
// the extracted values: staff follows from revenue, and revenue from staff.
func (c *company) addAgeAndSize(today time.Time) {
	if !c.record.has("company_name") {
		return
	}
	typical, base := defaultProfile, 0.32
	if codes, _ := c.record.Values["primary_naics_2012"].([]field.Code); len(codes) > 0 && len(codes[0].Code) >= 2 {
		if s, ok := profiles[codes[0].Code[:2]]; ok {
			typical, base = s, 0.42
		}
	}
	c.addAge(typical, base, today)
	c.addSize(typical, base)
}

func (c *company) addAge(typical profile, base float64, today time.Time) {
	r := c.record
	founded := referenceYear - min(max(c.hash.drawAround("year_founded", typical.age, narrowSpread), 1), 140)
	r.setIfAbsent("year_founded", strconv.Itoa(founded), base)
	if today.IsZero() {
		return
	}
	founded, err := strconv.Atoi(r.text("year_founded"))
	if err != nil || founded < 1000 || founded > today.Year() {
		return
	}
	years := today.Year() - founded
	score := r.Scores["year_founded"] * splitFactor
	r.setIfAbsent("year_in_business", years, score)
	overThreeYears := "N"
	if years > 3 {
		overThreeYears = "Y"
	}
	r.setIfAbsent("has_business_in_operation_for_more_than_3yrs", overThreeYears, score)
}

func (c *company) addSize(typical profile, base float64) {
	r := c.record
	perHead := c.hash.drawAround("annual_revenue", typical.revenue, narrowSpread)
	staff := max(1, c.hash.drawAround("total_full_time_employees", typical.staff, wideSpread))
	if revenue, ok := parseNumber(r.text("annual_revenue")); ok && revenue > 0 {
		staff = max(1, int(revenue)/perHead)
	}
	r.setIfAbsent("total_full_time_employees", strconv.Itoa(staff), base)
	if known, ok := parseNumber(r.text("total_full_time_employees")); ok && known >= 1 {
		staff = int(min(known, 5_000_000))
	}
	r.setIfAbsent("annual_revenue", formatMoney(float64(truncateToThreeDigits(staff*perHead))), base-0.02)
	payroll := staff * c.hash.drawAround("annual_payroll", typical.pay, narrowSpread)
	if revenue, ok := parseNumber(r.text("annual_revenue")); ok && revenue > 0 {
		payroll = min(payroll, int(revenue)*6/10) // a payroll above the revenue would be implausible
	}
	r.setIfAbsent("annual_payroll", formatMoney(float64(truncateToThreeDigits(payroll))), base-0.04)
}

// truncateToThreeDigits sets all but the first three digits of an estimate to 0,
// because more would suggest a precision that it does not have.
func truncateToThreeDigits(amount int) int {
	unit := 1
	for amount/unit >= 1000 {
		unit *= 10
	}
	return amount / unit * unit
}
