package text

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"understudy.example/internal/document/content"
)

// hiddenRule matches a rule of a style sheet that hides the elements of a class.
var hiddenRule = regexp.MustCompile(`(?i)(?:^|[\s,}>])\.([\w-]{1,60})\s*\{[^{}]{0,300}?display\s*:\s*none`)

// mediaRules matches the rules for certain screens or printers. They can hide elements that other
// rules show.
var mediaRules = regexp.MustCompile(`(?i)@media[^{]{0,300}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}`)

const maxHiddenClasses = 50

// hiddenClasses returns the classes whose elements a page does not show.
func hiddenClasses(f *content.File, page string) map[string]bool {
	classes := map[string]bool{}
	if !strings.Contains(page, "display") {
		return classes
	}
	left := f.Budget("bytes searched for style sheets", maxStyled)
	page = page[:min(len(page), *left)]
	*left -= len(page)
	for _, m := range hiddenRule.FindAllStringSubmatch(mediaRules.ReplaceAllString(page, " "), maxHiddenClasses) {
		classes[m[1]] = true
	}
	return classes
}

// markHidden adds the style "display:none" to the elements of hidden classes, and to those with the
// attribute "hidden".
func markHidden(root *html.Node, classes map[string]bool) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		concealed := false
		for _, a := range n.Attr {
			concealed = concealed || a.Key == "hidden" && n.Data != "body"
			if a.Key == "class" && len(classes) > 0 {
				for class := range strings.FieldsSeq(a.Val) {
					concealed = concealed || classes[class]
				}
			}
		}
		if concealed {
			n.Attr = append(n.Attr, html.Attribute{Key: "style", Val: "display:none"})
		}
	}
}
