package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxFormatCode is the maximum number of characters in the code of a number format, as in Excel.
// The rest is ignored.
const maxFormatCode = 255

// numberFormat is the number format of a cell.
type numberFormat struct {
	id       uint16 // while its code is not yet known
	date     bool   // the number is a date or a time
	day      bool   // the date is shown
	time     bool   // the time of the day is shown
	sections []numberSection
}

// numberSection is how a format shows positive, negative or zero numbers.
type numberSection struct {
	before, after string // the number
	general       bool   // the number is shown as it is
	hidden        bool   // the number is not shown, only the texts before and after it
	percent       bool
	thousands     int  // how often the number is divided by 1,000
	places        int  // decimals
	optional      bool // decimals that are zero are not shown
	grouped       bool // a comma after each thousand
	zeros         int  // number of digits that are shown at least
}

// newNumberFormat reads the code of a format. A workbook can have many cells of each format.
func newNumberFormat(code string) numberFormat {
	code = cutFormatCode(code)
	lower := strings.ToLower(code)
	f := numberFormat{date: isDateFormat(code), day: strings.ContainsAny(lower, "yd"), time: strings.Contains(lower, "h")}
	for section := range strings.SplitSeq(code, ";") {
		if f.sections = append(f.sections, newNumberSection(section)); len(f.sections) == 3 {
			break // the fourth is for texts
		}
	}
	return f
}

func cutFormatCode(code string) string {
	n := 0
	for i := range code {
		if n++; n > maxFormatCode {
			return code[:i]
		}
	}
	return code
}

func newNumberSection(section string) (s numberSection) {
	digits, before, after := splitSection(section)
	s.before, s.after = before, after
	lower := strings.ToLower(digits)
	switch {
	case section == "" || strings.Contains(lower, "general") || strings.ContainsAny(lower, "e@/"):
		s.general = true
		return s
	case !strings.ContainsAny(digits, "0#?"):
		s.hidden = true
		return s
	}
	if s.percent = strings.Contains(digits, "%"); s.percent {
		s.after += "%"
	}
	withoutPercent := strings.TrimRight(digits, "%")
	s.thousands = len(withoutPercent) - len(strings.TrimRight(withoutPercent, ","))
	whole, decimals, _ := strings.Cut(digits, ".")
	s.places = min(strings.Count(decimals, "0")+strings.Count(decimals, "#")+strings.Count(decimals, "?"), 15)
	s.optional = strings.Contains(decimals, "#")
	if strings.Contains(whole, ",") {
		s.grouped = strings.Contains(strings.TrimRight(whole, ","), ",")
	} else {
		s.zeros = strings.Count(whole, "0")
	}
	return s
}

// builtinFormats are the number formats that files refer to by number alone
// (ECMA-376 part 1, 18.8.30).
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: "$#,##0", 6: "$#,##0", 7: "$#,##0.00", 8: "$#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
	27: "yyyy/m/d", 30: "m/d/yy", 36: "yyyy/m/d", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00",
	41: "#,##0", 42: "$#,##0", 43: "#,##0.00", 44: "$#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 50: "yyyy/m/d", 57: "yyyy/m/d",
}

// formatCodes are the codes of the formats of a workbook by their numbers.
type formatCodes struct {
	codes map[int]string
	read  map[int]numberFormat
}

// format returns the format of a number. Its code is read once.
func (c *formatCodes) format(id int) numberFormat {
	if known, ok := c.read[id]; ok {
		return known
	}
	code, ok := c.codes[id]
	if !ok {
		code = builtinFormats[id]
	}
	if c.read == nil {
		c.read = map[int]numberFormat{}
	}
	c.read[id] = newNumberFormat(code)
	return c.read[id]
}

// splitSection splits a section of a format into the placeholders that format
// digits and the literal text before and after them. It drops colours and
// padding.
func splitSection(section string) (digits, before, after string) {
	var signs, first, last strings.Builder
	literal := &first
	sign := func(text string) {
		signs.WriteString(text)
		if text != "" {
			literal = &last
		}
	}
	for i := 0; i < len(section); i++ {
		switch c := section[i]; c {
		case '"':
			end := strings.IndexByte(section[i+1:], '"')
			if end < 0 {
				end = len(section) - i - 1
			}
			literal.WriteString(section[i+1 : i+1+end])
			i += end + 1
		case '\\':
			if i+1 < len(section) {
				literal.WriteByte(section[i+1])
			}
			i++
		case '_', '*':
			i++
		case '[':
			end := strings.IndexByte(section[i:], ']')
			if end < 0 {
				end = len(section) - i
			}
			if inside := section[i+1 : i+end]; strings.HasPrefix(inside, "$") {
				currency, _, _ := strings.Cut(inside[1:], "-")
				literal.WriteString(currency)
			} else if strings.Trim(strings.ToLower(inside), "hms") == "" {
				sign(inside)
			}
			i += end
		case '$', '(', ')', ' ', '-', '+', ':', '/':
			literal.WriteByte(c)
		default:
			if c >= 0x80 {
				literal.WriteByte(c)
				continue
			}
			sign(section[i : i+1])
		}
	}
	return signs.String(), first.String(), last.String()
}

// isDateFormat reports whether a format shows a number as a date or a time.
func isDateFormat(code string) bool {
	section, _, _ := strings.Cut(code, ";")
	digits, _, _ := splitSection(section)
	digits = strings.ToLower(digits)
	if strings.Contains(digits, "general") || strings.ContainsAny(digits, "0#?") && !strings.Contains(digits, "s") {
		return false
	}
	return strings.ContainsAny(digits, "ymdhs")
}

// showDate returns a date and time as text and the day as YYYY-MM-DD. The day is
// empty for a time of day alone.
func showDate(serial float64, format numberFormat, from1904 bool) (shown, day string, ok bool) {
	if serial < 0 || serial > 2_958_466 {
		return "", "", false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case serial < 60:
		epoch = epoch.AddDate(0, 0, 1) // Excel counts 29 February 1900, which did not exist
	}
	days := math.Floor(serial)
	at := epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((serial-days)*86400)) * time.Second)
	hasTime := format.time && at.Sub(at.Truncate(24*time.Hour)) > 0
	switch {
	case format.day && hasTime:
		return at.Format("2006-01-02 15:04"), at.Format("2006-01-02"), true
	case format.day:
		return at.Format("2006-01-02"), at.Format("2006-01-02"), true
	}
	return at.Format("15:04:05"), "", true
}

// showNumber returns a number as its format shows it: decimals, thousands,
// percent, currency signs and words.
func showNumber(n float64, format numberFormat) string {
	section, negative := numberSection{general: true}, n < 0
	switch {
	case n < 0 && len(format.sections) > 1:
		section, negative = format.sections[1], false
	case n == 0 && len(format.sections) > 2:
		section = format.sections[2]
	case len(format.sections) > 0:
		section = format.sections[0]
	}
	switch {
	case section.general:
		return strings.TrimSpace(section.before + strconv.FormatFloat(n, 'f', -1, 64) + section.after)
	case section.hidden:
		return strings.TrimSpace(section.before + section.after)
	}
	value := math.Abs(n)
	if section.percent {
		value *= 100
	}
	for range section.thousands {
		value /= 1000
	}
	text := strconv.FormatFloat(value, 'f', section.places, 64)
	if section.optional {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if section.grouped {
		text = thousands(text)
	} else {
		number, _, _ := strings.Cut(text, ".")
		text = strings.Repeat("0", min(max(0, section.zeros-len(number)), 30)) + text
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return strings.TrimSpace(sign + section.before + text + section.after)
}

// thousands writes a comma after each thousand.
func thousands(text string) string {
	whole, _, _ := strings.Cut(text, ".")
	if len(whole) <= 3 {
		return text
	}
	out := make([]byte, 0, len(text)+len(whole)/3)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, whole[i])
	}
	return string(append(out, text[len(whole):]...))
}
