package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// numberFormat is the number format of a cell.
type numberFormat struct {
	code string
	date bool
	id   uint16 // while its code is not yet known
}

func newNumberFormat(code string) numberFormat {
	return numberFormat{code: code, date: isDateFormat(code)}
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

// splitSection splits a section of a format into the placeholders that format
// digits and the literal text before and after them. It drops colours and
// padding.
func splitSection(section string) (digits, before, after string) {
	var signs, literal strings.Builder
	flush := func() {
		if signs.Len() == 0 {
			before += literal.String()
		} else {
			after += literal.String()
		}
		literal.Reset()
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
				end = len(section) - i - 1
			}
			if inside := section[i+1 : i+end]; strings.HasPrefix(inside, "$") {
				currency, _, _ := strings.Cut(inside[1:], "-")
				literal.WriteString(currency)
			} else if strings.Trim(strings.ToLower(inside), "hms") == "" {
				flush()
				signs.WriteString(inside)
			}
			i += end
		case '$', '(', ')', ' ', '-', '+', ':', '/':
			literal.WriteByte(c)
		default:
			if c >= 0x80 {
				literal.WriteByte(c)
				continue
			}
			flush()
			signs.WriteByte(c)
		}
	}
	flush()
	return signs.String(), before, after
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
	code := strings.ToLower(format.code)
	hasDay := strings.ContainsAny(code, "yd")
	hasTime := strings.Contains(code, "h") && at.Sub(at.Truncate(24*time.Hour)) > 0
	switch {
	case hasDay && hasTime:
		return at.Format("2006-01-02 15:04"), at.Format("2006-01-02"), true
	case hasDay:
		return at.Format("2006-01-02"), at.Format("2006-01-02"), true
	}
	return at.Format("15:04:05"), "", true
}

// showNumber returns a number as its format shows it: decimals, thousands,
// percent, currency signs and words.
func showNumber(n float64, format numberFormat) string {
	sections := strings.Split(format.code, ";")
	section, negative := sections[0], n < 0
	switch {
	case n < 0 && len(sections) > 1:
		section, negative = sections[1], false
	case n == 0 && len(sections) > 2:
		section = sections[2]
	}
	digits, before, after := splitSection(section)
	lower := strings.ToLower(digits)
	if section == "" || strings.Contains(lower, "general") || strings.ContainsAny(lower, "e@/") {
		return strings.TrimSpace(before + strconv.FormatFloat(n, 'f', -1, 64) + after)
	}
	if !strings.ContainsAny(digits, "0#?") {
		return strings.TrimSpace(before + after)
	}
	whole, decimals, _ := strings.Cut(digits, ".")
	value := math.Abs(n)
	if strings.Contains(digits, "%") {
		value *= 100
		after += "%"
	}
	for trimmed := strings.TrimRight(digits, "%"); strings.HasSuffix(trimmed, ","); trimmed = trimmed[:len(trimmed)-1] {
		value /= 1000
	}
	places := strings.Count(decimals, "0") + strings.Count(decimals, "#") + strings.Count(decimals, "?")
	text := strconv.FormatFloat(value, 'f', min(places, 15), 64)
	if strings.Contains(decimals, "#") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if zeros := strings.Count(whole, "0"); !strings.Contains(whole, ",") {
		number, _, _ := strings.Cut(text, ".")
		text = strings.Repeat("0", min(max(0, zeros-len(number)), 30)) + text
	} else if strings.Contains(strings.TrimRight(whole, ","), ",") {
		text = thousands(text)
	}
	if negative {
		before = "-" + before
	}
	return strings.TrimSpace(before + text + after)
}

func thousands(text string) string {
	whole, decimals, point := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + decimals
	}
	return whole
}
