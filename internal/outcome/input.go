package outcome

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"understudy.example/internal/api"
)

// readOutcome reads an outcome from the request's body.
func readOutcome(r *http.Request) (o Outcome, err error) {
	body, err := api.ReadFields(r, DefinitionFields...)
	if err != nil {
		return o, err
	}
	return parseOutcome(body)
}

// DefinitionFields are the keys of an outcome in an imported configuration.
var DefinitionFields = []string{"match", "status", "facts", "options", "locations", "packages", "raw", "after"}

// parseOutcome parses an outcome, whose keys are known.
func parseOutcome(body api.Object) (o Outcome, err error) {
	if body["match"] == nil {
		return o, api.BadRequest("match is required")
	}
	if err := readMatch(body["match"], &o); err != nil {
		return o, err
	}
	if raw, given := body["status"]; given {
		status, err := api.ReadOneOf("status", raw, Completed, Failed, ReviewRequired)
		if err != nil {
			return o, err
		}
		o.Status = &status
	}
	if err := checkValues(body); err != nil {
		return o, err
	}
	if err := readValues(body, &o); err != nil {
		return o, err
	}
	if raw, given := body["after"]; given {
		if o.After, err = api.ReadDuration("after", raw); err != nil {
			return o, err
		}
	}
	if o.HasStatus(Failed) && o.HasValues() {
		return o, api.BadRequest("status: a failed submission has no facts, options, locations or packages")
	}
	return o, nil
}

// readValues reads the values that the outcome sets.
func readValues(body api.Object, o *Outcome) (err error) {
	if raw, given := body["raw"]; given {
		if json.Unmarshal(raw, &o.Raw) != nil || string(raw) == "null" {
			return api.BadRequest("raw: want true or false")
		}
	}
	if raw, given := body["facts"]; given {
		if o.Facts, err = ParseValues("facts", raw, Facts, o.Raw); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	if raw, given := body["options"]; given {
		if o.Options, err = ParseValues("options", raw, Options, o.Raw); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	if raw, given := body["locations"]; given {
		if o.Locations, err = readLocations(raw, o.Raw); err != nil {
			return err
		}
	}
	if raw, given := body["packages"]; given {
		if o.Packages, err = ParsePackages("packages", raw, o.Raw, maxLocations); err != nil {
			return api.BadRequest("%s", err)
		}
	}
	return nil
}

// readMatch reads the criteria of the outcome.
func readMatch(text json.RawMessage, o *Outcome) error {
	match, err := api.ReadObject("match", text, "filename", "sha256", "company_name")
	if err != nil {
		return err
	}
	if len(match) == 0 {
		return api.BadRequest("match: want a filename, a sha256 or a company_name")
	}
	for key, target := range map[string]**string{"filename": &o.Filename, "company_name": &o.CompanyName} {
		if raw, given := match[key]; given {
			name, err := api.ReadText("match."+key, raw)
			if err != nil {
				return err
			}
			*target = &name
		}
	}
	if raw, given := match["sha256"]; given {
		digits, _ := match.Text("sha256")
		digest, ok := parseDigest(digits)
		if !ok {
			return api.BadRequest("match.sha256: want 64 hexadecimal digits, not %s", shortened(raw))
		}
		o.SHA256 = digest
	}
	return nil
}

// readMatchQuery reads the criteria of an outcome from a query; nil if it has none.
func readMatchQuery(query url.Values) (*Outcome, error) {
	var o Outcome
	name := func(to **string) func(string) bool {
		return func(value string) bool { *to = &value; return strings.TrimSpace(value) != "" }
	}
	err := api.ReadQuery(query, map[string]func(string) bool{
		"filename":     name(&o.Filename),
		"company_name": name(&o.CompanyName),
		"sha256": func(value string) (ok bool) {
			o.SHA256, ok = parseDigest(value)
			return ok
		},
	})
	if err != nil || len(query) == 0 {
		return nil, err
	}
	return &o, nil
}

// parseDigest parses a SHA-256 in hexadecimal.
func parseDigest(digits string) (digest []byte, ok bool) {
	digest, err := hex.DecodeString(digits)
	return digest, err == nil && len(digest) == sha256.Size
}

func shortened(text json.RawMessage) string {
	if len(text) > 80 {
		return string(text[:80]) + "…"
	}
	return string(text)
}

// maxLocations is the maximum number of locations of an outcome.
const maxLocations = 10_000

func readLocations(text json.RawMessage, anyValues bool) ([]Values, error) {
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil || raw == nil || len(raw) > maxLocations {
		return nil, api.BadRequest("locations: want an array of at most %d objects", maxLocations)
	}
	locations := make([]Values, len(raw))
	for i := range raw {
		location, err := ParseValues(fmt.Sprintf("locations[%d]", i), raw[i], LocationFields, anyValues)
		if err != nil {
			return nil, api.BadRequest("%s", err)
		}
		locations[i] = location
	}
	return locations, nil
}
