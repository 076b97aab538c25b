package mail

import (
	"regexp"
	"sort"
	"strconv"
	"strings"

	"understudy.example/internal/document/decode"
)

var (
	param   = regexp.MustCompile(`;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)`)
	escaped = regexp.MustCompile(`\\(.)`)
)

// parameters reads a field such as `text/plain; charset="utf-8"`. It accepts what
// mime.ParseMediaType rejects: repeated parameters, missing quotes, encoded
// words, any character set in the form of RFC 2231.
func parameters(field string) (value string, params map[string]string) {
	value, _, _ = strings.Cut(field, ";")
	params = map[string]string{}
	pieces := map[string]map[int]string{}
	for _, m := range param.FindAllStringSubmatch(field, 50) {
		name, text := strings.ToLower(m[1]), strings.TrimSpace(m[2])
		if strings.HasPrefix(text, `"`) {
			text = escaped.ReplaceAllString(strings.TrimSuffix(text[1:], `"`), "$1")
		}
		base, number, extended := strings.Cut(name, "*")
		if !extended {
			if _, twice := params[name]; !twice {
				params[name] = decodeWords(text)
			}
			continue
		}
		n, _ := strconv.Atoi(strings.TrimSuffix(number, "*"))
		if pieces[base] == nil {
			pieces[base] = map[int]string{}
		}
		pieces[base][n] = text
	}
	for base, list := range pieces {
		params[base] = joinPieces(list)
	}
	return strings.ToLower(strings.TrimSpace(value)), params
}

// joinPieces joins the pieces of a value in the form of RFC 2231,
// charset'language'%41%42, and decodes it.
func joinPieces(pieces map[int]string) string {
	var order []int
	for n := range pieces {
		order = append(order, n)
	}
	sort.Ints(order)
	joined, charset := "", ""
	for _, n := range order {
		joined += pieces[n]
	}
	if parts := strings.SplitN(joined, "'", 3); len(parts) == 3 {
		charset, joined = parts[0], parts[2]
	}
	return decode.Text(decode.Hex([]byte(joined), '%'), charset)
}
