package hooks

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/hooks/delivery"
)

// maxName is the maximum size in bytes of the name of a subscription.
const maxName = 255

// Field errors of the control API only.
var (
	nameInvalid   = fieldError{invalid, "send a string of at most 255 bytes"}
	eventsActions = fieldError{"want subjects only", "send a subject such as universal_submit, or *; a single action can be subscribed to only through the API"}
	headerMasked  = fieldError{"is masked", "send the value itself, or leave the header out"}
)

// parse parses the fields of a subscription for the control API, in which events have no
// action. masked is the masked header that responses show; "" if there is none.
func (e *Editor) parse(body api.Object, masked string) (input, fieldErrors) {
	header, hasHeader := body.Text("header")
	if hasHeader && header != "" && header == masked {
		delete(body, "header")
		hasHeader = false
	}
	in, fieldErrs := parseInput(body, e.Sender)
	if name, ok := body["name"]; ok {
		given, isText := body.Text("name")
		if in.Name = &given; !isText || len(given) > maxName || string(name) == "null" {
			fieldErrs["name"] = nameInvalid
		}
	}
	if slices.ContainsFunc(in.Events, func(entry string) bool { return strings.Contains(entry, ":") }) {
		fieldErrs["events"] = eventsActions
	}
	if _, value := delivery.SplitHeader(header); hasHeader && value == api.Masked {
		fieldErrs["header"] = headerMasked
	}
	return in, fieldErrs
}

// asControlError returns the 422 response of the control API that lists the errors, in
// the order of the field names; nil if there are none.
func (e fieldErrors) asControlError() error {
	if len(e) == 0 {
		return nil
	}
	var list []string
	for _, field := range slices.Sorted(maps.Keys(e)) {
		list = append(list, field+": "+e[field].message+" ("+e[field].fix+")")
	}
	return api.NewControlError(http.StatusUnprocessableEntity, strings.Join(list, "; "))
}

// controlError returns the error of the control API for a 404 of the API; other errors
// are returned unchanged.
func controlError(err error) error {
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return api.NewControlError(http.StatusNotFound, "Subscription not found")
	}
	return err
}
