// Package consoletest opens the console's pages in a headless Chromium, for tests. A
// test fails if a page writes an error to the browser's log, breaks its content security
// policy or requests anything from another origin.
package consoletest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"understudy.example/internal/server/servertest"
)

// guard is how long a test waits for a page before it fails.
const guard = time.Minute

// Tab is a tab of a browser, with cookies of its own.
type Tab struct {
	T      testing.TB
	Origin string // of the console

	ctx context.Context

	mu       sync.Mutex
	problems []string
	expected []string // texts of problems that the test provokes
}

// chromium is the browser of all tests of a package.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"))
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...) // Chromium ends with the test
	ctx, _ = chromedp.NewContext(ctx)
	return ctx, chromedp.Run(ctx)
})

// find returns the path of Chromium.
func find() (string, error) {
	var err error
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		var path string
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// openWindow opens a window with cookies of its own. (chromedp would open a tab, which
// needs a window.)
func openWindow(root context.Context) (target.ID, error) {
	ctx := cdp.WithExecutor(root, chromedp.FromContext(root).Browser)
	profile, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(ctx)
	if err != nil {
		return "", err
	}
	return target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(ctx)
}

// Open opens a tab for the server's console. Without Chromium, the test is skipped; with
// REQUIRE_CHROMIUM it fails.
func Open(t testing.TB, s *servertest.Server) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("the tests of pages do not run with -short")
	}
	root, err := chromium()
	if err != nil && os.Getenv("REQUIRE_CHROMIUM") == "" {
		t.Skipf("no Chromium, install it to run this test: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	window, err := openWindow(root)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(root, chromedp.WithTargetID(window))
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil { // the tab ends with the context of its first action
		t.Fatal(err)
	}
	tab := &Tab{T: t, Origin: strings.TrimSuffix(s.ControlURL, "/control/v1"), ctx: ctx}
	chromedp.ListenTarget(ctx, tab.observe)
	tab.Run(network.Enable(), log.Enable(), runtime.Enable(), browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorDeny))
	t.Cleanup(func() {
		for _, problem := range tab.unexpected() {
			t.Error("browser: " + problem)
		}
	})
	return tab
}

// Expect allows a problem whose text contains the given one.
func (tab *Tab) Expect(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.expected = append(tab.expected, text)
}

func (tab *Tab) unexpected() (problems []string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
next:
	for _, problem := range tab.problems {
		for _, text := range tab.expected {
			if strings.Contains(problem, text) {
				continue next
			}
		}
		problems = append(problems, problem)
	}
	return problems
}

// observe records errors in the browser's log and requests to other origins.
func (tab *Tab) observe(event any) {
	var problem string
	switch event := event.(type) {
	case *log.EventEntryAdded:
		if event.Entry.Level == log.LevelError || event.Entry.Source == log.SourceSecurity || event.Entry.Source == log.SourceViolation {
			problem = event.Entry.Text + " " + event.Entry.URL
		}
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.APITypeError || event.Type == runtime.APITypeAssert {
			problem = "console." + string(event.Type)
			for _, argument := range event.Args {
				problem += " " + string(argument.Value) + argument.Description
			}
		}
	case *runtime.EventExceptionThrown:
		problem = event.ExceptionDetails.Error()
	case *network.EventRequestWillBeSent:
		if url := event.Request.URL; !strings.HasPrefix(url, tab.Origin+"/") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "about:") {
			problem = "request to another origin: " + url
		}
	}
	if problem != "" {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.problems = append(tab.problems, problem)
	}
}

// Run runs actions, and fails the test if they have not succeeded in time.
func (tab *Tab) Run(actions ...chromedp.Action) {
	tab.T.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, guard)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		tab.Screenshot("failed")
		tab.T.Fatalf("browser: %v; problems: %q", err, tab.unexpected())
	}
}

// Go opens a page.
func (tab *Tab) Go(path string) {
	tab.T.Helper()
	tab.Run(chromedp.Navigate(tab.Origin+path), chromedp.WaitReady("main"))
}

// Hold opens a page and holds back its request for an asset until release is called. It
// returns once the page has made the request.
func (tab *Tab) Hold(path, asset string) (release func()) {
	tab.T.Helper()
	paused := make(chan fetch.RequestID, 1)
	chromedp.ListenTarget(tab.ctx, func(event any) {
		if event, ok := event.(*fetch.EventRequestPaused); ok {
			paused <- event.RequestID
		}
	})
	tab.Run(fetch.Enable().WithPatterns([]*fetch.RequestPattern{{URLPattern: "*/" + asset + "*"}}))
	tab.Eval(`url => { setTimeout(() => location.assign(url)) }`, nil, tab.Origin+path)
	select {
	case id := <-paused:
		return func() {
			tab.T.Helper()
			tab.Run(fetch.ContinueRequest(id), fetch.Disable())
		}
	case <-time.After(guard):
		tab.T.Fatalf("browser: the page %s has not requested %s", path, asset)
		return nil
	}
}

// Path returns the path and the query of the page that is open.
func (tab *Tab) Path() string {
	tab.T.Helper()
	var location string
	tab.Run(chromedp.Location(&location))
	return strings.TrimPrefix(location, tab.Origin)
}

// Await waits until an element that the CSS selector matches is visible.
func (tab *Tab) Await(selector string) {
	tab.T.Helper()
	tab.Run(chromedp.WaitVisible(selector, chromedp.ByQuery))
}

// AwaitText waits until the first element that the CSS selector matches contains a text.
func (tab *Tab) AwaitText(selector, want string) {
	tab.T.Helper()
	tab.AwaitTrue(`(selector, want) => (document.querySelector(selector)?.innerText ?? '').includes(want)`, selector, want)
}

// AwaitTrue waits until a JavaScript function returns true for the arguments, also on a
// page that is opened meanwhile.
func (tab *Tab) AwaitTrue(function string, arguments ...any) {
	tab.T.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, guard)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		var holds bool
		// An error can mean that the page is being replaced by another one.
		err := chromedp.Run(ctx, chromedp.Evaluate(tab.expression(function, arguments), &holds))
		if err == nil && holds {
			return
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			tab.Screenshot("failed")
			tab.T.Fatalf("browser: %s of %q has not become true: %v; problems: %q; the page is %s", function, arguments, err, tab.unexpected(), tab.state())
		}
	}
}

// state describes the page that is open: whether the browser treats it as hidden, and the
// requests that it has made.
func (tab *Tab) state() (state string) {
	ctx, cancel := context.WithTimeout(tab.ctx, guard)
	defer cancel()
	chromedp.Run(ctx, chromedp.Evaluate(`document.visibilityState + ', ' + document.readyState + ', requests: ' +
		performance.getEntriesByType('resource').map(e => e.name + ' ' + e.responseStatus + ' ' + Math.round(e.startTime) + '-' + Math.round(e.responseEnd)).join(', ')`, &state))
	return state
}

// Text returns the visible text of the first element that the CSS selector matches.
func (tab *Tab) Text(selector string) (text string) {
	tab.T.Helper()
	tab.Run(chromedp.Text(selector, &text, chromedp.ByQuery))
	return text
}

// Click clicks the first element that the CSS selector matches, once it is visible.
func (tab *Tab) Click(selector string) {
	tab.T.Helper()
	tab.AwaitTrue(`selector => {
		const element = document.querySelector(selector);
		if (!element?.checkVisibility()) return false;
		setTimeout(() => element.click()); // the page may be replaced before a result could be returned
		return true;
	}`, selector)
}

// Fill replaces the text of a field, once it is visible.
func (tab *Tab) Fill(selector, text string) {
	tab.T.Helper()
	tab.AwaitTrue(`(selector, text) => {
		const field = document.querySelector(selector);
		if (!field?.checkVisibility()) return false;
		field.value = text;
		field.dispatchEvent(new Event('input', {bubbles: true}));
		field.dispatchEvent(new Event('change', {bubbles: true}));
		return true;
	}`, selector, text)
}

// Attach chooses a file of the given name and content in a file field.
func (tab *Tab) Attach(selector, name string, content []byte) {
	tab.T.Helper()
	path := filepath.Join(tab.T.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		tab.T.Fatal(err)
	}
	tab.Run(chromedp.SetUploadFiles(selector, []string{path}, chromedp.ByQuery))
}

// Drop drops a file of the given name and content on the page.
func (tab *Tab) Drop(name string, content []byte) {
	tab.T.Helper()
	tab.Eval(`(name, text) => {
		const transfer = new DataTransfer();
		transfer.items.add(new File([text], name));
		for (const type of ['dragenter', 'dragover', 'drop'])
			document.body.dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
	}`, nil, name, string(content))
}

// Eval calls a JavaScript function with arguments, and decodes its result into result,
// unless that is nil. A promise is awaited.
func (tab *Tab) Eval(function string, result any, arguments ...any) {
	tab.T.Helper()
	tab.Run(chromedp.Evaluate(tab.expression(function, arguments), result, awaitPromise))
}

// expression returns the JavaScript that calls a function with arguments.
func (tab *Tab) expression(function string, arguments []any) string {
	tab.T.Helper()
	given, err := json.Marshal(append([]any{}, arguments...))
	if err != nil {
		tab.T.Fatal(err)
	}
	return fmt.Sprintf("(%s)(...%s)", function, given)
}

func awaitPromise(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// Size sets the size of the window in CSS pixels.
func (tab *Tab) Size(width, height int64) {
	tab.T.Helper()
	tab.Run(chromedp.EmulateViewport(width, height))
}

// Scheme sets the colour scheme of the system, "light" or "dark".
func (tab *Tab) Scheme(scheme string) {
	tab.T.Helper()
	tab.Run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// Screenshot writes a picture of the whole page into bin/console, which is not part of
// the repository.
func (tab *Tab) Screenshot(name string) {
	tab.T.Helper()
	directory := filepath.Join(servertest.Root(tab.T), "bin", "console")
	ctx, cancel := context.WithTimeout(tab.ctx, guard)
	defer cancel()
	var picture []byte
	err := chromedp.Run(ctx, chromedp.FullScreenshot(&picture, 100))
	if err == nil {
		err = os.MkdirAll(directory, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(directory, strings.ReplaceAll(tab.T.Name(), "/", "_")+"_"+name+".png"), picture, 0o644)
	}
	if err != nil {
		tab.T.Log("no screenshot: ", err)
	}
}
