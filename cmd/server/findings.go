package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"understudy.example/internal/junit"
)

// finding is a mistake of a tenant's clients.
type finding struct {
	Rule     string
	Message  string
	Advice   string
	Count    int
	Evidence []string

	calls []string // the first calls that show it
}

// maxCalls is the maximum number of calls that are shown for a finding.
const maxCalls = 3

// clearReport deletes the report of an earlier run, unless the path is "". It creates the file
// first, so that a wrong path is reported before the tests run.
func clearReport(path string) error {
	if path == "" {
		return nil
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		return fmt.Errorf("exec: --junit: %w", err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return err // it is a device, such as /dev/stdout
	}
	return os.Remove(path)
}

// reportFindings prints the findings of all tenants, and writes them to the report unless its path
// is "". It returns their number.
func reportFindings(ctx context.Context, control controlAPI, report string) (int, error) {
	tenants, err := control.tenants(ctx)
	if err != nil {
		return 0, fmt.Errorf("findings: %w", err)
	}
	var text strings.Builder
	var cases []junit.Case
	total := 0
	for _, tenant := range tenants {
		found, err := control.findings(ctx, tenant)
		if err != nil {
			return 0, fmt.Errorf("findings: %w", err)
		}
		if len(found) == 0 {
			cases = append(cases, junit.Case{Class: tenant, Name: "no findings"})
			continue
		}
		total += len(found)
		fmt.Fprintf(&text, "\n%s\n", tenant)
		for _, f := range found {
			fmt.Fprintf(&text, "  %s: %s\n%s", f.Rule, f.Message, f.details("    "))
			cases = append(cases, junit.Case{Class: tenant, Name: f.Rule, Failure: &junit.Detail{Summary: f.Message, Text: "\n" + f.details("")}})
		}
	}
	if total > 0 {
		fmt.Fprintf(stderr, "\nFindings about the calls of your client:\n%s\n", text.String())
	} else if called, err := control.called(ctx, tenants); err != nil {
		return 0, fmt.Errorf("findings: %w", err)
	} else if !called {
		fmt.Fprintln(os.Stderr, "\nNo findings, because no call of your client has arrived: does it use UNDERSTUDY_API_URL?")
	} else {
		fmt.Fprintln(os.Stderr, "\nNo findings about the calls of your client.")
	}
	if report == "" {
		return total, nil
	}
	var suite bytes.Buffer
	if err := junit.Write(&suite, "understudy findings", time.Now(), cases); err != nil {
		return total, err
	}
	return total, os.WriteFile(report, suite.Bytes(), 0o666)
}

// findings returns the findings of the tenant with the first calls that show them.
func (c controlAPI) findings(ctx context.Context, tenant string) ([]finding, error) {
	var list struct{ Findings []finding }
	if err := c.call(ctx, http.MethodGet, tenantPath(tenant, "/findings"), nil, &list); err != nil {
		return nil, err
	}
	for i, f := range list.Findings {
		for _, id := range f.Evidence[:min(len(f.Evidence), maxCalls)] {
			var call struct {
				Method, Path, Hint string
				Status             int
			}
			response, err := c.Call(ctx, http.MethodGet, tenantPath(tenant, "/requests/"+url.PathEscape(id)), nil)
			if err == nil && response.Status == http.StatusNotFound {
				continue // the evidence can also be a delivery or a subscription
			}
			if err := c.decode(response, err, &call); err != nil {
				return nil, err
			}
			line := fmt.Sprintf("%s %s: %d", call.Method, call.Path, call.Status)
			if call.Hint != "" {
				line += " (" + call.Hint + ")"
			}
			list.Findings[i].calls = append(list.Findings[i].calls, line)
		}
	}
	return list.Findings, nil
}

// details returns the calls and the advice, one per line.
func (f finding) details(indent string) string {
	var text strings.Builder
	for _, call := range f.calls {
		fmt.Fprintf(&text, "%s%s\n", indent, call)
	}
	if more := f.Count - len(f.calls); more > 0 && len(f.calls) > 0 {
		fmt.Fprintf(&text, "%sand %d more\n", indent, more)
	}
	fmt.Fprintf(&text, "%sHint: %s\n", indent, f.Advice)
	return text.String()
}

// called reports whether the server has recorded a call of one of the tenants.
func (c controlAPI) called(ctx context.Context, tenants []string) (bool, error) {
	for _, tenant := range tenants {
		var calls struct{ Requests []struct{} }
		if err := c.call(ctx, http.MethodGet, tenantPath(tenant, "/requests?limit=1"), nil, &calls); err != nil || len(calls.Requests) > 0 {
			return true, err
		}
	}
	return false, nil
}
