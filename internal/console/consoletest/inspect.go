package consoletest

import (
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// axeFiles are axe-core 4.14.1, which checks the accessibility of a page.
//
//go:embed axe
var axeFiles embed.FS

var axe = sync.OnceValue(func() string {
	file, err := axeFiles.Open("axe/axe.min.js.gz")
	if err != nil {
		panic(err)
	}
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		panic(err)
	}
	return string(text)
})

// Inspect checks the page that is open: in light and dark, narrow and wide, axe-core finds
// nothing, nothing is wider than the window, and every form field has a name. It leaves
// the window wide and light. If the environment variable CONSOLE_SCREENSHOTS is set, it
// writes screenshots.
func (tab *Tab) Inspect(name string) {
	tab.T.Helper()
	for _, width := range []int64{390, 1440} {
		tab.Size(width, 900)
		for _, check := range []struct{ scheme, rules string }{
			{"dark", `{type: 'rule', values: ['color-contrast']}`}, // the only rule that depends on the color scheme
			{"light", `['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']`},
		} {
			tab.Scheme(check.scheme)
			tab.checkAccessibility(fmt.Sprintf("%s, %d px, %s", name, width, check.scheme), check.rules)
			if os.Getenv("CONSOLE_SCREENSHOTS") != "" {
				tab.Screenshot(fmt.Sprintf("%s_%d_%s", name, width, check.scheme))
			}
		}
		tab.checkWidth(fmt.Sprintf("%s, %d px", name, width))
	}
	tab.Size(360, 800)
	tab.checkWidth(name + ", 360 px")
	tab.Size(1440, 900)
}

// checkWidth checks that the page does not scroll sideways.
func (tab *Tab) checkWidth(what string) {
	tab.T.Helper()
	var wide string
	tab.Eval(`() => {
		const root = document.documentElement;
		if (root.scrollWidth <= root.clientWidth) return '';
		const outer = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1);
		return root.scrollWidth + ' px: ' + outer.slice(-3).map(e => e.outerHTML.slice(0, 120)).join(' ');
	}`, &wide)
	if wide != "" {
		tab.T.Errorf("%s: the page scrolls sideways, %s", what, wide)
	}
}

// checkAccessibility checks the page with axe-core. rules is the value of axe-core's
// option runOnly.
func (tab *Tab) checkAccessibility(what, rules string) {
	tab.T.Helper()
	var violations []struct {
		ID    string `json:"id"`
		Help  string `json:"help"`
		Nodes []struct {
			HTML           string `json:"html"`
			FailureSummary string `json:"failureSummary"`
		} `json:"nodes"`
	}
	var loaded bool
	if tab.Run(chromedp.Evaluate(`'axe' in window`, &loaded)); !loaded {
		tab.Run(chromedp.Evaluate(axe()+`; 0`, nil))
	}
	tab.Run(chromedp.Evaluate(`axe.run(document, {resultTypes: ['violations'], runOnly: `+rules+`}).then(found => found.violations)`,
		&violations, chromedp.EvalAsValue, awaitPromise))
	for _, violation := range violations {
		for _, node := range violation.Nodes {
			tab.T.Errorf("%s: %s (%s): %s\n%s", what, violation.Help, violation.ID, node.HTML, strings.TrimSpace(node.FailureSummary))
		}
	}
}
