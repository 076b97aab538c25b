package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// Fields of a form that are for the console; all others become the JSON of the call.
const (
	methodField = "_method" // of the call, if it is not POST
	nextField   = "_next"   // page to show after a success
	showField   = "_show"   // template whose part "result" shows the response of a success
)

// formBody returns the JSON object that the fields of a form describe.
//
// The name of a field is the path of a value, such as match.filename. A suffix sets how
// its text becomes JSON; without one, the text is a string, and an empty one is left out:
//
//	:text    a string, also if it is empty
//	:null    a string, or null if it is empty
//	:number  a number; left out if it is empty
//	:bool    true for "on" and "true", false for anything else
//	:all     an array of the texts of all fields with this name, without those that are empty
//	:list    an array of the text's lines without those that are blank
//	:json    JSON; left out if it is empty. The name ":json" stands for the whole body
func formBody(form url.Values) ([]byte, error) {
	body := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if strings.HasPrefix(name, "_") {
			continue
		}
		path, kind, _ := strings.Cut(name, ":")
		if strings.Count(path, ".") >= maxDepth {
			return nil, fmt.Errorf("a field has more than %d names in its path", maxDepth)
		}
		// the last value counts: a hidden field before a checkbox has the value without its tick
		given := form[name][len(form[name])-1]
		value, present, err := fieldValue(kind, given)
		if kind == "all" {
			value, present = slices.DeleteFunc(slices.Clone(form[name]), func(given string) bool { return given == "" }), true
		}
		switch {
		case err != nil:
			return nil, errors.New(strings.TrimPrefix(path+": "+err.Error(), ": "))
		case path == "" && present:
			return json.Marshal(value)
		case present:
			setField(body, strings.Split(path, "."), value)
		}
	}
	return json.Marshal(body)
}

// fieldValue returns the JSON value of a field's text, and whether there is one.
func fieldValue(kind, given string) (value any, present bool, err error) {
	trimmed := strings.TrimSpace(given)
	switch kind {
	case "text":
		return given, true, nil
	case "null":
		if given == "" {
			return nil, true, nil
		}
		return given, true, nil
	case "bool":
		return given == "on" || given == "true", true, nil
	case "list":
		lines := []string{}
		for line := range strings.Lines(given) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return lines, true, nil
	case "number":
		if trimmed != "" && !json.Valid([]byte(trimmed)) {
			return nil, false, fmt.Errorf("%q is not a number", trimmed)
		}
		return json.RawMessage(trimmed), trimmed != "", nil
	case "json":
		if trimmed != "" && !json.Valid([]byte(trimmed)) {
			return nil, false, fmt.Errorf("this is not valid JSON")
		}
		return json.RawMessage(trimmed), trimmed != "", nil
	}
	return given, given != "", nil
}

// setField sets the value at a path of objects.
func setField(object map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = value
}

// callPath is the path under which forms make calls of the control API.
const callPath = "/call/"

// serveCall makes a call of the control API for a page. The path below callPath is the
// one below the base of the control API. A form becomes the JSON of the call, except for
// the multipart body of an upload, which is forwarded unchanged. The response of a GET
// call is streamed to the visitor.
func (c *Console) serveCall(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	if !slices.Contains([]string{http.MethodGet, http.MethodPost}, r.Method) {
		w.Header().Set("Allow", "GET, POST")
		v.fail(&callError{Status: http.StatusMethodNotAllowed, Message: "Forms use POST."})
		return
	}
	if r.Method == http.MethodGet {
		if err := v.download(v.callTarget()); err != nil {
			v.fail(err)
		}
		return
	}
	response, err := v.makeCall()
	switch {
	case err != nil && v.isFragment():
		v.refuse(err)
		return
	case err != nil:
		v.fail(err)
		return
	}
	v.answer(response)
}

// callTarget returns the path and the query of the call.
func (v *visit) callTarget() string {
	path := "/" + strings.TrimPrefix(v.r.URL.EscapedPath(), callPath)
	query := v.r.URL.Query()
	maps.DeleteFunc(query, func(name string, _ []string) bool { return strings.HasPrefix(name, "_") })
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// makeCall makes the call that a form describes.
func (v *visit) makeCall() (*response, error) {
	path, kind := v.callTarget(), v.r.Header.Get("Content-Type")
	if rt, found := route.Find(route.Control, http.MethodPost, v.r.URL.Path[len(callPath)-1:]); found && rt.Upload && strings.HasPrefix(kind, "multipart/form-data") {
		return v.call(http.MethodPost, path, v.r.Body, kind)
	}
	form, err := v.readForm(maxForm)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{methodField, nextField, showField} {
		if given := form.Get(name); given != "" {
			v.Query.Set(name, given)
		}
	}
	if show := v.Query.Get(showField); show != "" && v.templates[show] == nil {
		return nil, &callError{Status: http.StatusBadRequest, Message: "There is no page that could show the response."}
	}
	method := http.MethodPost
	if given := v.Query.Get(methodField); given != "" {
		method = given
	}
	if method == http.MethodDelete {
		return v.call(method, path, nil, "")
	}
	body, err := formBody(form)
	if err != nil {
		return nil, &callError{Status: http.StatusBadRequest, Message: err.Error()}
	}
	return v.call(method, path, bytes.NewReader(body), "application/json")
}

// readForm reads the fields of the form, whose body has at most limit bytes and counts as a
// request body. The value of a file field is the content of the file.
func (v *visit) readForm(limit int64) (form url.Values, err error) {
	body, err := api.ReadBody(v.r, limit)
	text := string(body)
	kind, params, _ := api.ParseMediaType(v.r.Header.Get("Content-Type"))
	switch boundary := params["boundary"]; {
	case kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data" && (kind != "" || text != ""):
		return nil, &callError{Status: http.StatusUnsupportedMediaType, Message: "Send a form, as the pages do."}
	case errors.Is(err, api.ErrBodiesBusy):
		v.w.Header().Set("Retry-After", "1")
		return nil, &callError{Status: http.StatusServiceUnavailable, Message: "Too many large forms are being sent at once. Send this one again."}
	case int64(len(body)) > limit:
		return nil, &callError{Status: http.StatusRequestEntityTooLarge, Message: "The form is larger than " + byteCount(limit) + "."}
	case err == nil && boundary == "":
		form, err = url.ParseQuery(text)
	case err == nil:
		form, err = api.ReadMultipart(strings.NewReader(text), boundary)
	}
	if err != nil || api.ToStorable(text) != text {
		return nil, &callError{Status: http.StatusBadRequest, Message: "The form could not be read."}
	}
	return form, nil
}

const (
	maxForm  = 16 << 20 // bytes of a form
	maxDepth = 8        // names in the path of a field
)

// answer responds to the form after its call.
func (v *visit) answer(response *response) {
	err := response.err()
	switch next, show := v.Query.Get(nextField), v.Query.Get(showField); {
	case v.r.Header.Get("Accept") == "application/json":
		v.pass(response)
	case err != nil && v.isFragment():
		v.refuse(err)
	case err != nil:
		v.fail(err)
	case show != "":
		v.show(show, response)
	case isLocal(next):
		http.Redirect(v.w, v.r, next, http.StatusSeeOther)
	default:
		v.w.WriteHeader(http.StatusNoContent)
	}
}

// show shows the response of a call with the part "result" of a template.
func (v *visit) show(template string, response *response) {
	data, err := response.decoded()
	if err != nil {
		v.fail(err)
		return
	}
	v.Data = data
	if rest, ok := strings.CutPrefix(v.URL.Path, callPath+"tenants/"); ok {
		v.Tenant, _, _ = strings.Cut(rest, "/")
	}
	if v.isFragment() {
		v.replace("result")
	}
	v.write(http.StatusOK, template, "result-page")
}

// refuse shows the error of a form's call above the page, which keeps the input of the
// visitor.
func (v *visit) refuse(err error) {
	refused, ok := errors.AsType[*callError](err)
	if !ok || refused.Status == http.StatusUnauthorized {
		v.fail(err)
		return
	}
	v.Data = refused
	v.replace("notice")
	v.write(refused.Status, "error", "refused")
}

// replace makes htmx replace only the element with an id by the one in the response.
func (v *visit) replace(id string) {
	v.w.Header().Set("HX-Retarget", "#"+id)
	v.w.Header().Set("HX-Reselect", "#"+id)
	v.w.Header().Set("HX-Reswap", "outerHTML")
	v.w.Header().Set("HX-Push-Url", "false")
}

// pass passes the response of the control API on.
func (v *visit) pass(response *response) {
	if response.full {
		v.fail(response.err())
		return
	}
	passHeader(v.w.Header(), response.header)
	v.w.WriteHeader(response.status)
	v.w.Write(response.body.Bytes())
}

// isFragment reports whether the request wants a part of a page.
func (v *visit) isFragment() bool { return v.r.Header.Get("HX-Request") == "true" }

// isLocal reports whether the URL is one of a page of this console.
func isLocal(next string) bool {
	target, err := url.Parse(next)
	return err == nil && target.Host == "" && target.Scheme == "" && strings.HasPrefix(next, "/") &&
		!strings.HasPrefix(next, "//") && !strings.ContainsAny(next, "\\\t\r\n")
}
