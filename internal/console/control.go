package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy.example/internal/route"
)

// controlPages are the pages that change a tenant.
var controlPages = []page{{"/tenants/{t}/control", "control", "control", loadControl}}

// controlParts are the parts of the page, each with the calls whose JSON it shows.
var controlParts = map[string][]string{
	"clock":    {"clock?due=true"},
	"settings": {"settings"},
	"outcomes": {"outcomes"},
	"faults":   {"faults"},
	"clients":  {"clients", "api-keys"},
	"tenant":   {},
}

// loadControl loads the part of the page that the query names.
func loadControl(v *visit) (any, error) {
	view := v.Query.Get("view")
	if _, known := controlParts[view]; !known {
		view = "clock"
	}
	data := map[string]any{"view": view, "real": time.Now().UTC().Format(time.RFC3339Nano)}
	for _, name := range controlParts[view] {
		loaded, err := v.get(v.path("/" + name))
		if err != nil {
			return nil, err
		}
		name, _, _ = strings.Cut(name, "?")
		data[name] = loaded
	}
	switch view {
	case "faults":
		data["preview"] = preview(v.Query, faultWords, "route", "delivery")
	case "outcomes":
		data["preview"] = preview(v.Query, outcomeWords, "match")
	}
	return data, nil
}

// OutcomeCall returns the URL at which a form makes a call for the outcome with a match.
func (v *visit) OutcomeCall(match any) string {
	query := url.Values{}
	criteria, _ := match.(map[string]any)
	for name := range criteria {
		query.Set(name, text(match, name))
	}
	return v.Call("/outcomes") + "?" + query.Encode()
}

// preview returns a description of the outcome or fault in the fields of the form; "" if
// all required fields are empty.
func preview(query url.Values, words func(any) string, required ...string) string {
	fields := url.Values{}
	for name, values := range query {
		if name != "view" {
			fields[name] = values
		}
	}
	value, err := formValue(fields)
	if err != nil {
		return err.Error()
	}
	if !slices.ContainsFunc(required, func(name string) bool { return text(value, name) != "" }) {
		return ""
	}
	return words(value)
}

// formValue returns the JSON object that the fields of a form describe, decoded.
func formValue(fields url.Values) (value any, err error) {
	body, err := formBody(fields)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// routes returns the routes of the emulated API, each as a method and a path.
func routes() []string {
	patterns := []string{"*"}
	for _, rt := range route.API {
		patterns = append(patterns, rt.Pattern())
	}
	return patterns
}

// permissions returns the permissions that the routes of the emulated API require, and
// those that the client has.
func permissions(client any) []string {
	all := map[string]bool{}
	held, _ := at(client, "permissions").([]any)
	for _, permission := range held {
		all[fmt.Sprint(permission)] = true
	}
	for _, rt := range route.API {
		if rt.Permission != "" {
			all[rt.Permission] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// holds reports whether the client has the permission; without a client, true.
func holds(client any, permission string) bool {
	held, isList := at(client, "permissions").([]any)
	return !isList || slices.Contains(held, any(permission))
}
