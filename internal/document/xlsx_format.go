package document

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// numberFormat is the part of a number format that changes what a reader sees.
type numberFormat struct {
	code string
	date bool
	id   uint16 // while its code is not yet known
}

// builtinFormats are the number formats that files refer to without spelling
// them out (ECMA-376 part 1, 18.8.30).
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: "$#,##0", 6: "$#,##0", 7: "$#,##0.00", 8: "$#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
	27: "yyyy/m/d", 30: "m/d/yy", 36: "yyyy/m/d", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00",
	41: "#,##0", 42: "$#,##0", 43: "#,##0.00", 44: "$#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 50: "yyyy/m/d", 57: "yyyy/m/d",
}

// readStyles lists the number format of each cell style.
func readStyles(z *archive, name string) []numberFormat {
	rc, err := z.open(name)
	if err != nil {
		return nil
	}
	defer rc.Close()
	custom := map[int]string{}
	var styles []numberFormat
	inCells := false
	_ = walkXML(io.LimitReader(rc, 32<<20), func(e element) error {
		switch {
		case e.name == "cellXfs":
			inCells = e.opens
		case e.opens && e.name == "numFmt":
			id, _ := strconv.Atoi(e.attr("numFmtId"))
			custom[id] = e.attr("formatCode")
		case e.opens && e.name == "xf" && inCells && len(styles) < 100_000:
			id, _ := strconv.Atoi(e.attr("numFmtId"))
			code, ok := custom[id]
			if !ok {
				code = builtinFormats[id]
			}
			styles = append(styles, numberFormat{code: code, date: isDateFormat(code)})
		}
		return nil
	})
	return styles
}

// bare takes literals, colours and padding off a format's section, leaving the
// signs that format digits. The literal text before and after the digits is
// given too.
func bare(section string) (digits, before, after string) {
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

func isDateFormat(code string) bool {
	section, _, _ := strings.Cut(code, ";")
	digits, _, _ := bare(section)
	digits = strings.ToLower(digits)
	if strings.Contains(digits, "general") || strings.ContainsAny(digits, "0#?") && !strings.Contains(digits, "s") {
		return false
	}
	return strings.ContainsAny(digits, "ymdhs")
}

// showDate gives a date and time as text and the day as YYYY-MM-DD. The day is
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
		epoch = epoch.AddDate(0, 0, 1) // Excel counts a 29 February 1900
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

// showNumber gives a number as its format shows it: decimals, thousands,
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
	digits, before, after := bare(section)
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
