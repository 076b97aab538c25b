//go:build linux

package crashtest

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

const (
	callLimit   = time.Minute // of one attempt; the server itself allows 15 s, and more for advancing a clock
	repeatPause = 50 * time.Millisecond
	repeatLimit = 4 * time.Minute // after which a call counts as lost
)

// client makes calls, one after another.
type client struct {
	*run
	random *rand.Rand
	tenant *tenant
	only   *node // that it calls; nil = any
}

// call is a call that is repeated until it has a 2xx response.
type call struct {
	kind    string // for the journal: "trigger"
	point   string // at which a fault can happen while the call is in flight
	key     string // what the call is about, for the journal
	line    string // method and path
	control bool   // the path is below that of the control API
	header  map[string]string
	body    string
	shows   string // the field of the response that the journal shows; "" shows the body
	half    bool   // the point is in the middle of the request's body
	ends    []int  // statuses besides 2xx that end the repetition too
}

// do makes the call until it is acknowledged, and writes each attempt to the journal
// before anything else happens. It returns false if ctx ends first, or if no fault
// explains the response, which is a finding.
func (c *client) do(ctx context.Context, ca call) (servertest.Response, bool) {
	begun := time.Now()
	for ctx.Err() == nil {
		attempted := time.Now()
		response, err := c.attempt(ca)
		ended := err == nil && (response.Status/100 == 2 || slices.Contains(ca.ends, response.Status))
		switch {
		case err != nil:
			c.journal.count("no response")
			c.journal.write(ca.key, "%s: no response: %v", ca.kind, err)
			if !c.proxy.explains(attempted, err, response) {
				c.journal.fail(badResponse, ca.key, "%s %s: %v", ca.kind, ca.line, err)
			}
		case ended:
			c.journal.count("2xx")
			shown := comment(response.Body)
			if ca.shows != "" {
				shown = text(response, ca.shows)
			}
			c.journal.write(ca.key, "%s: %d %s", ca.kind, response.Status, shown)
			return response, true
		case response.Status == http.StatusServiceUnavailable:
			c.journal.count("503")
			c.journal.write(ca.key, "%s: 503 %s", ca.kind, comment(response.Body))
			if response.Header.Get("Retry-After") == "" {
				c.journal.fail(badResponse, ca.key, "%s %s: 503 without Retry-After: %s", ca.kind, ca.line, comment(response.Body))
			}
			if !c.proxy.explains(attempted, nil, response) {
				c.journal.fail(badResponse, ca.key, "%s %s: 503 %s", ca.kind, ca.line, comment(response.Body))
			}
		default:
			c.journal.count("other")
			c.journal.fail(badResponse, ca.key, "%s %s: %d %s", ca.kind, ca.line, response.Status, comment(response.Body))
			return response, false
		}
		if time.Since(begun) > repeatLimit {
			c.journal.fail(noRecovery, ca.key, "%s %s: no 2xx response within %v", ca.kind, ca.line, repeatLimit)
			return response, false
		}
		pause(ctx, repeatPause)
	}
	return servertest.Response{}, false
}

// pause waits until the duration has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// urls returns the URLs of the API and of the control API that the client calls next.
func (c *client) urls() (api, control string) {
	switch {
	case c.only != nil:
		return c.only.urls()
	case c.proxy != nil:
		return c.proxy.api, c.proxy.control
	}
	return c.nodes[c.random.IntN(len(c.nodes))].urls()
}

// attempt makes the call once, at one of the servers.
func (c *client) attempt(ca call) (servertest.Response, error) {
	api, controlURL := c.urls()
	method, path, _ := strings.Cut(ca.line, " ")
	base := api
	if ca.control {
		base = controlURL + route.ControlBase
	}
	var body io.Reader = strings.NewReader(ca.body)
	if ca.half {
		half := len(ca.body) / 2
		body = io.MultiReader(strings.NewReader(ca.body[:half]), pointReader{c.run, ca.point}, strings.NewReader(ca.body[half:]))
	} else if c.points.wants(ca.point) {
		later := time.Duration(c.random.IntN(15)) * time.Millisecond
		c.background.Go(func() {
			time.Sleep(later)
			c.points.reached(place{point: ca.point})
		})
	}
	request, err := http.NewRequest(method, base+path, body)
	if err != nil {
		return servertest.Response{}, err
	}
	request.ContentLength = int64(len(ca.body))
	if strings.HasPrefix(ca.body, "{") {
		request.Header.Set("Content-Type", "application/json")
	}
	if ca.control && c.controlToken != "" {
		request.Header.Set("Authorization", "Bearer "+c.controlToken)
	}
	if !ca.control {
		request.Header.Set("Authorization", "Bearer "+c.tenant.accessToken())
		request.Header.Set("X-Api-Key", c.tenant.apiKey)
	}
	for name, value := range ca.header {
		request.Header.Set(name, value)
	}
	return servertest.Try(c.http, request)
}

// pointReader is empty. It reaches the point when it is read.
type pointReader struct {
	run   *run
	point string
}

func (p pointReader) Read([]byte) (int, error) {
	p.run.points.reached(place{point: p.point})
	return 0, io.EOF
}
