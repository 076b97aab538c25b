package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/api"
)

// readBody reads the request's JSON object, which may have only the known
// keys. No body at all is an empty object.
func readBody(r *http.Request, known ...string) (api.Object, error) {
	if r.ContentLength == 0 {
		return api.Object{}, nil
	}
	body, err := api.Read(r, api.MessageErrors)
	if err != nil {
		return nil, err
	}
	return body, checkKeys("", body, known)
}

// readObject reads an object inside the body, which may have only the known
// keys; at is its place, such as settings.pacing.
func readObject(at string, text json.RawMessage, known ...string) (api.Object, error) {
	var object api.Object
	if json.Unmarshal(text, &object) != nil || object == nil {
		return nil, badRequest("%s: want an object", at)
	}
	return object, checkKeys(at, object, known)
}

func checkKeys(at string, object api.Object, known []string) error {
	unknown := []string{}
	for key := range object {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return badRequest("unknown field %q", place(at, unknown[0]))
}

func place(at, key string) string {
	return strings.TrimPrefix(at+"."+key, ".")
}

// readOneOf reads a string that is one of the given.
func readOneOf(at string, text json.RawMessage, choices ...string) (string, error) {
	var given string
	if json.Unmarshal(text, &given) != nil || !slices.Contains(choices, given) {
		return "", badRequest("%s: want %s", at, strings.Join(choices, " or "))
	}
	return given, nil
}

// readText reads a string that is not blank and has at most 255 bytes.
func readText(at string, text json.RawMessage) (string, error) {
	var given string
	if json.Unmarshal(text, &given) != nil || strings.TrimSpace(given) == "" || len(given) > 255 {
		return "", badRequest("%s: want a string of 1 to 255 bytes", at)
	}
	return given, nil
}

// longest is the longest duration that is taken.
const longest = 10 * 366 * 24 * time.Hour

// readDuration reads a duration such as 90s or 12h, with d for days of 24 hours.
func readDuration(at string, text json.RawMessage) (time.Duration, error) {
	var given string
	if json.Unmarshal(text, &given) == nil {
		if d, err := parseDuration(given); err == nil && d >= 0 && d <= longest {
			return d.Truncate(time.Microsecond), nil
		}
	}
	return 0, badRequest("%s: want a duration such as 90s, 12h or 2d", at)
}

// parseDuration is time.ParseDuration with days, which come first: 2d12h.
func parseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil || !(n >= 0 && n < 100_000) {
		return 0, fmt.Errorf("%q is no number of days", days)
	}
	whole := time.Duration(n * float64(24*time.Hour))
	if rest == "" {
		return whole, nil
	}
	more, err := time.ParseDuration(rest)
	return whole + more, err
}
