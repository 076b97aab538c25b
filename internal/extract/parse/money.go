package parse

import (
	"math"
	"strconv"
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Amount is a sum of money in hundredths of its currency.
type Amount int64

// MostCents is the largest amount that is read. The sum of several such amounts fits in an int64.
const MostCents = 1e17

const million = 1_000_000

var (
	// MoneyForm matches an amount with its sign, currency and unit.
	MoneyForm = vocabulary.Pattern(`(?i)(^|[^\w.,])(\()?(-)?\s*((?:{{money.unit before}}[ .-]{0,2})?(?:{{money.sign}}|{{money.code}}))?\s*(-)?\s*` +
		`(\d{1,3}(?:[ '’\x{a0}\x{202f}]\d{3})+(?:[.,]\d{1,2})?|\d[\d.,]*(?:e\+?\d{1,2})?)\s*` +
		`({{money.scale}})?(\.?\s*(?:{{money.sign}}|(?:de\s+|d['’])?{{money.behind}}\b))?(\))?($|[^\w%])`)
	rangeScale = vocabulary.Pattern(`(?i)^\s*(?:-|–|—|to|and)\s*[$£€]?\s*\d[\d.,]*\s*({{money.scale}})\b`)
	moneyTail  = vocabulary.Pattern(`(?i)\b{{money.code|money.tail}}\b`)
)

var (
	inThousands   = lazyregexp.New(`^\d{1,3}(?:,\d{3})+$`)
	bareYear      = lazyregexp.New(`^(?:19|20)\d\d$`)
	afterCurrency = lazyregexp.New(`^\s*\d`)
	// yearInFront matches a year before an amount with its currency.
	yearInFront = lazyregexp.New(`\b((?:19|20)\d\d)(\s*(?:[$£€]|\b(?:USD|GBP|EUR|CAD|AUD|CHF|NZD)\b)\s*\d)`)
)

// WithoutYears replaces the years before amounts with as many spaces.
func WithoutYears(text string) string { return yearInFront.ReplaceAllString(text, "    $2") }

// euroSign matches currencies and units of amounts whose thousands are separated by points.
var euroSign = lazyregexp.New(`(?i)€|eur|chf|\bt(?:usd|gbp|sd|ausend|[ -])`)

// Money reads the first amount in text: with a currency sign or code, k, m or bn,
// brackets for negative amounts, points or commas between thousands. For a range it
// returns the lower end. fit is 1 if the text contains nothing else.
func Money(text string) (a Amount, fit float64, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 2000 {
		return 0, 0, false
	}
	if f, ok := FindMoney(text); ok {
		return f.Amount, f.Fit, true
	}
	return 0, 0, false
}

// MoneyFound is an amount in a text, with its position in bytes.
type MoneyFound struct {
	Amount     Amount
	Fit        float64
	Currency   bool
	Start, End int
}

// afterYear matches an amount after a year that is its label.
var afterYear = vocabulary.Pattern(`^\s*[:=]\s*(?:(?:{{money.sign}}|{{money.code}})\s*)?\d`)

// FindMoney finds the first amount in a text.
func FindMoney(text string) (MoneyFound, bool) {
	if sign, number := CutSign(text); IsPlainNumber(number) {
		return plainMoney(sign, number)
	}
	for at := 0; at < len(text); {
		m := MoneyForm.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return MoneyFound{}, false
		}
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[at+m[2*n] : at+m[2*n+1]]
		}
		end := at + m[2*10]
		if behind := m[2*8]; group(4) == "" && behind >= 0 && bareYear.MatchString(group(6)) && afterCurrency.MatchString(text[end:]) {
			at += behind
			continue // "31 March 2027 GBP 6,318,000"
		}
		if group(4) == "" && bareYear.MatchString(group(6)) && afterYear.MatchString(text[end:]) {
			at = end
			continue // "2025: $4,500,000"
		}
		scale := strings.ToLower(group(7))
		times := timesOf("money.scale", scale)
		if scale == "" {
			times = unitBefore(text[:at+max(m[2*4], 0)], group(4))
		}
		number := group(6)
		if scale == "mm" && inThousands.MatchString(number) {
			number = strings.ReplaceAll(number, ",", "") // "$1,500MM", not "4,5 MM€"
		}
		value, ok := decimal(number, euroSign.MatchString(group(4)+scale+group(8)), times)
		if !ok || group(10) == "" && strings.HasPrefix(text[end:], "%") {
			at = end
			continue
		}
		if r := rangeScale.FindStringSubmatch(text[end:]); scale == "" && r != nil && value < 1000 {
			times = timesOf("money.scale", strings.ToLower(r[1]))
		}
		if value >= million && strings.Contains(scale, "000") {
			times = 1 // "$4,500,000 (000's)" is written in full
		}
		value *= times
		if group(2) != "" && group(9) != "" || group(3) != "" || group(5) != "" {
			value = -value
		}
		if math.Abs(value) > MostCents/100 {
			at = end
			continue
		}
		f := MoneyFound{Amount: Amount(math.Round(value * 100)), Currency: group(4) != "" || strings.TrimSpace(group(8)) != "", Start: at + m[2*2+1], End: end}
		if m[2*2] < 0 {
			f.Start = at + m[3]
		}
		f.Fit = 1
		rest := text[:at+m[3]] + " " + text[end:]
		if strings.ContainsFunc(rest, IsLetter) && strings.ContainsFunc(moneyTail.ReplaceAllString(rest, ""), IsLetter) {
			f.Fit = 0.8
		}
		return f, true
	}
	return MoneyFound{}, false
}

// unitBefore returns the factor of the unit before a currency, as in "TEUR 4.500" and "Mio. EUR 4,5", or 1. A
// single letter with a space before the currency does not count after a word in capitals, such as in
// "Circle K EUR 4.500".
func unitBefore(before, currency string) float64 {
	m := unitAndCurrency.FindStringSubmatch(currency)
	if m == nil || len(m[1]) == 1 && m[2] != "" && m[2] != "-" && endsWithName.MatchString(before) {
		return 1
	}
	return timesOf("money.unit before", strings.ToLower(m[1]))
}

// endsWithName matches a text that ends with a word of a name.
var endsWithName = lazyregexp.New(`(?:\p{Lu}[\pL\d'’.-]*|&)\s*$`)

var unitAndCurrency = vocabulary.Pattern(`(?i)^({{money.unit before}})([ .-]*)(?:{{money.sign}}|{{money.code}})$`)

// timesOf returns the factor of a unit such as "million" in a table of the vocabulary; 1 if the table
// does not have it.
func timesOf(table, scale string) float64 {
	if times, err := strconv.ParseFloat(vocabulary.Classes(table)[scale], 64); err == nil {
		return times
	}
	return 1
}

// CutSign cuts a currency sign off the beginning of a text.
func CutSign(text string) (sign, rest string) {
	for _, sign := range []string{"$", "£", "€"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return sign, rest
		}
	}
	return "", text
}

// IsPlainNumber reports whether a text starts with a digit and has only digits, commas and
// points. Most amounts in tables are of this form, which needs no pattern.
func IsPlainNumber(text string) bool {
	return text != "" && strings.Contains(Digits, text[:1]) && strings.Trim(text, Digits+",.") == ""
}

// plainMoney is moneyFitting for a plain number after a currency sign, or after none.
func plainMoney(sign, number string) (MoneyFound, bool) {
	value, ok := decimal(number, sign == "€", 1)
	if !ok || value > MostCents/100 {
		return MoneyFound{}, false
	}
	return MoneyFound{Amount: Amount(math.Round(value * 100)), Fit: 1, Currency: sign != "", End: len(sign) + len(number)}, true
}

// decimal reads a number with either kind of separator. No amount has three decimals, so a point
// before three digits separates thousands. Before a word for millions or more, a point, or a comma after one digit, is a
// decimal mark ("1.234m"); before k, a comma separates thousands ("4,500K"). times is the factor of the word.
func decimal(digits string, euro bool, times float64) (float64, bool) {
	digits = strings.Trim(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\'' || r == '’' || r == '\u00a0' || r == '\u202f' {
			return -1
		}
		return r
	}, digits), ".,")
	commas, points := strings.Count(digits, ","), strings.Count(digits, ".")
	comma, point := strings.LastIndex(digits, ","), strings.LastIndex(digits, ".")
	switch {
	case commas > 0 && points > 0 && comma > point:
		digits = strings.ReplaceAll(strings.ReplaceAll(digits, ".", ""), ",", ".")
	case commas > 0 && points > 0 || commas > 1:
		digits = strings.ReplaceAll(digits, ",", "")
	case commas == 1 && (len(digits)-comma-1 != 3 || times >= million && comma <= 1):
		digits = strings.Replace(digits, ",", ".", 1)
	case commas == 1:
		digits = strings.Replace(digits, ",", "", 1)
	case points > 1, points == 1 && (times == 1 || euro && times < million) && len(digits)-point-1 == 3 && (euro || point <= 3 && digits[0] != '0'):
		digits = strings.ReplaceAll(digits, ".", "")
	}
	value, err := strconv.ParseFloat(digits, 64)
	return value, err == nil && !math.IsInf(value, 0)
}

// Cents returns the number in a cell as an amount.
func Cents(number float64) (Amount, bool) {
	if math.IsNaN(number) || math.Abs(number) > MostCents/100 {
		return 0, false
	}
	return Amount(math.Round(number * 100)), true
}

// String returns the amount in the format of responses: "6,216,506.00".
func (a Amount) String() string {
	var space [32]byte
	out := space[:0]
	if a < 0 {
		out, a = append(out, '-'), -a
	}
	whole := strconv.FormatInt(int64(a)/100, 10)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, whole[i])
	}
	return string(append(out, '.', byte('0'+a%100/10), byte('0'+a%10)))
}

// IsLetter reports whether a character is an ASCII letter.
func IsLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
