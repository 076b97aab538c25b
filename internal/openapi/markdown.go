package openapi

import (
	"html"
	"html/template"
	"regexp"
	"strings"
)

var (
	listItem = regexp.MustCompile(`^(?:- |\d+\. )`)
	inline   = regexp.MustCompile("`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s](?:[^*]*[^*\\s])?)\\*")
)

// markdown returns the HTML of the Markdown that the documents use: paragraphs, lists,
// code, bold text and emphasis such as *(stated)*. Everything else is text.
func markdown(text string) template.HTML {
	var out strings.Builder
	list, paragraph := "", []string{}
	flush := func(tag string) {
		if len(paragraph) > 0 {
			out.WriteString("<" + tag + ">" + spans(strings.Join(paragraph, " ")) + "</" + tag + ">")
		}
		paragraph = paragraph[:0]
	}
	end := func() {
		if list == "" {
			flush("p")
			return
		}
		flush("li")
		out.WriteString("</" + list + ">")
		list = ""
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		mark := listItem.FindString(trimmed)
		switch {
		case trimmed == "":
			end()
		case mark != "":
			if list == "" {
				flush("p")
				list = map[bool]string{true: "ul", false: "ol"}[mark == "- "]
				out.WriteString("<" + list + ">")
			}
			flush("li")
			paragraph = append(paragraph, strings.TrimPrefix(trimmed, mark))
		default:
			paragraph = append(paragraph, trimmed)
		}
	}
	end()
	return template.HTML(out.String())
}

// spans returns the HTML of the inside of a paragraph.
func spans(text string) string {
	var out strings.Builder
	at := 0
	for _, found := range inline.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(html.EscapeString(text[at:found[0]]))
		for i, tag := range []string{"code", "strong", "em"} {
			if from := found[2+2*i]; from >= 0 {
				out.WriteString("<" + tag + ">" + html.EscapeString(text[from:found[3+2*i]]) + "</" + tag + ">")
			}
		}
		at = found[1]
	}
	out.WriteString(html.EscapeString(text[at:]))
	return out.String()
}
