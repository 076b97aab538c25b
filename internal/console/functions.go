package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/api"
)

// functions are the functions that templates can call, besides the methods of a visit.
var functions = template.FuncMap{
	"asset":        func(name string) string { return assetURLs[name] },
	"at":           at,
	"text":         text,
	"dict":         dict,
	"list":         func(values ...any) []any { return values },
	"time":         timeTag,
	"clockTime":    clockTime,
	"bytes":        byteCount,
	"number":       grouped,
	"plural":       plural,
	"json":         indented,
	"milliseconds": milliseconds,
	"state":        stateOf,
	"cut":          cut,
	"percent":      percent,
	"status":       statusName,
	"answerLook":   answerLook,
	"words":        func(name string) string { return strings.ReplaceAll(name, "_", " ") },
	"capital":      capital,

	"fault":       faultWords,
	"outcome":     outcomeWords,
	"outcomeID":   outcomeID,
	"routes":      routes,
	"permissions": permissions,
	"holds":       holds,
	"last":        last,
	"reversed":    reversed,
	"span":        span,
	"moment":      moment,
}

// at returns the value at a path of keys in JSON objects; nil if there is none. The
// templates use it for fields that a response may omit.
func at(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// text returns the value at a path as text; "" if there is none.
func text(value any, keys ...string) string {
	value = at(value, keys...)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// dict returns a map of the keys and values, for a part that takes several.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: a key without a value")
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m, nil
}

// timeTag returns an element that shows a time of the control API by its distance from
// now, with the exact time as its title; a dash if there is no time.
func timeTag(now time.Time, given any) template.HTML {
	written := fmt.Sprint(given)
	t, err := time.Parse(time.RFC3339Nano, written)
	if given == nil || err != nil {
		return `<span class="none">–</span>`
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.UTC().Format(time.RFC3339Nano), t.UTC().Format("2 Jan 2006 15:04:05.000 MST"), distance(now, t)))
}

// clockTime returns an element that shows a time of the control API; a dash if there is
// none.
func clockTime(given any) template.HTML {
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprint(given))
	if err != nil {
		return `<span class="none">–</span>`
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339Nano), t.UTC().Format("2 Jan 2006 15:04:05.000")))
}

// distance returns how far a time is from now, such as "5 min ago" or "in 2 h"; the date
// if it is more than four weeks.
func distance(now, t time.Time) string {
	d := now.Sub(t)
	size := d.Abs()
	var written string
	switch {
	case size < 5*time.Second && d >= 0:
		return "just now"
	case size < time.Minute:
		written = fmt.Sprintf("%d s", int(size.Seconds()))
	case size < time.Hour:
		written = fmt.Sprintf("%d min", int(size.Minutes()))
	case size < 48*time.Hour:
		written = fmt.Sprintf("%d h", int(size.Hours()))
	case size < 28*24*time.Hour:
		written = fmt.Sprintf("%d days", int(size.Hours()/24))
	default:
		return t.UTC().Format("2 Jan 2006")
	}
	if d < 0 {
		return "in " + written
	}
	return written + " ago"
}

// byteCount returns a number of bytes in a readable unit.
func byteCount(n any) string {
	size, err := strconv.ParseFloat(fmt.Sprint(n), 64)
	if err != nil {
		return ""
	}
	for _, unit := range []string{"B", "KB", "MB", "GB"} {
		if size < 1000 || unit == "GB" {
			return strconv.FormatFloat(size, 'f', map[bool]int{true: 0, false: 1}[unit == "B" || size >= 100], 64) + " " + unit
		}
		size /= 1000
	}
	return ""
}

// grouped returns a whole number with commas between groups of three digits.
func grouped(n any) string {
	digits := fmt.Sprint(n)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// plural returns a number and a noun, in the plural unless the number is 1.
func plural(n any, noun string) string {
	if fmt.Sprint(n) == "1" {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return grouped(n) + " " + noun + "s"
}

// indentable limits the JSON that is indented. Its indented form may be maxGrowth times as large.
// In deeply nested JSON, the white space is much larger than the values.
var indentable = api.Bounds{Nesting: 20, Values: 10_000}

const maxGrowth = 8

// indented returns a JSON value, or a text that may be JSON, as indented JSON. A text that
// would become too large remains unchanged, and such a value is written on one line.
func indented(value any) (string, error) {
	given, isText := value.(string)
	if !isText {
		var compact strings.Builder
		encoder := json.NewEncoder(&compact)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return "", err
		}
		given = strings.TrimSuffix(compact.String(), "\n")
	}
	var out bytes.Buffer
	if indentable.Check([]byte(given)) != nil || json.Indent(&out, []byte(given), "", "  ") != nil || out.Len() > maxGrowth*len(given) {
		return given, nil
	}
	return out.String(), nil
}

// last returns the last element of a list; nil if it is empty.
func last(list any) any {
	elements, _ := list.([]any)
	if len(elements) == 0 {
		return nil
	}
	return elements[len(elements)-1]
}

// reversed returns a list of a response in the reverse order.
func reversed(list any) []any {
	elements, _ := list.([]any)
	elements = slices.Clone(elements)
	slices.Reverse(elements)
	return elements
}

// span returns a duration of the control API without the units that are 0, such as 24h for
// 24h0m0s.
func span(given any) string {
	written := fmt.Sprint(given)
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(written, zero) {
			written = written[:len(written)-2]
		}
	}
	return written
}

// moment returns a time of the control API in full, such as 2 Jan 2006 15:04:05 UTC.
func moment(given any) string {
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprint(given))
	if err != nil {
		return ""
	}
	return t.UTC().Format("2 Jan 2006 15:04:05 MST")
}

// stateOf returns the look of a state, a class of console.css: done, failed, active or
// waiting.
func stateOf(name any) string {
	switch strings.ToLower(fmt.Sprint(name)) {
	case "completed", "delivered", "success", "holds", "active":
		return "done"
	case "failed", "dead", "error", "refused", "fails":
		return "failed"
	case "submission_in_progress", "scheduled", "started", "sending", "retrying", "due", "review_required":
		return "active"
	}
	return "waiting"
}

// capital returns a text that begins with a capital letter.
func capital(text any) string {
	given := fmt.Sprint(text)
	if given == "" {
		return ""
	}
	return strings.ToUpper(given[:1]) + given[1:]
}

// cut returns the beginning of a long text, at most n characters.
func cut(text any, n int) string {
	runes := []rune(fmt.Sprint(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

// percent returns a share from 0 to 1 as a percentage; 100 % only if it is 1.
func percent(share any) string {
	value, err := strconv.ParseFloat(fmt.Sprint(share), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(math.Floor(value*1000)/10, 'f', -1, 64) + " %"
}

// statusName returns the status of a response; it is 0 or nil if there was none.
func statusName(status any) string {
	if status == nil || fmt.Sprint(status) == "0" {
		return "no response"
	}
	return fmt.Sprint(status)
}

// answerLook returns the look of a response by its status, like stateOf.
func answerLook(status any) string {
	switch name := statusName(status); {
	case strings.HasPrefix(name, "2"):
		return "done"
	case strings.HasPrefix(name, "1"), strings.HasPrefix(name, "3"):
		return "waiting"
	}
	return "failed"
}

// milliseconds returns a duration of JSON with about three digits.
func milliseconds(duration any) string {
	ms, _ := duration.(float64)
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.2f", ms)
}
