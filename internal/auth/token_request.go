package auth

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/transfer"
)

// maxForm is the maximum size of the body of a token request, in bytes.
const maxForm = 64 << 10

// failed is a reader that returns its error, or io.EOF if that is nil.
type failed struct{ err error }

// Read implements io.Reader.
func (f failed) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// parameters returns the parameters of the query and of the form in the body.
func parameters(r *http.Request) (query, form url.Values, err error) {
	query, err = api.ParseForm(r.URL.RawQuery)
	if err != nil {
		return nil, nil, invalidRequest("The query is malformed", "percent-encode its values, and send at most 200 fields")
	}
	defer transfer.AwaitBody(r.Context())()
	text, readErr := api.ReadBody(r, maxForm)
	if errors.Is(readErr, api.ErrBodiesBusy) {
		return nil, nil, readErr
	}
	pass, err := api.Turn(r.Context(), 8*len(text)) // tiny parts of a form cost many times as much as JSON
	if err != nil {
		return nil, nil, err
	}
	defer pass()
	body := http.MaxBytesReader(nil, io.NopCloser(io.MultiReader(bytes.NewReader(text), failed{readErr})), maxForm)
	mediaType, params, _ := api.ParseMediaType(r.Header.Get("Content-Type"))
	switch mediaType {
	case "application/x-www-form-urlencoded":
		text, readErr := io.ReadAll(body)
		if err = readErr; err == nil {
			form, err = api.ParseForm(string(text))
		}
	case "multipart/form-data":
		form, err = api.ReadMultipart(body, params["boundary"])
	default:
		text, readErr := io.ReadAll(body)
		if err = readErr; len(text) > 0 && err == nil {
			return nil, nil, notAForm(mediaType)
		}
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, nil, formTooLarge()
	}
	if errors.Is(err, api.ErrManyFields) {
		return nil, nil, invalidRequest("The form is malformed", "send at most 200 fields")
	}
	if err != nil {
		return nil, nil, invalidRequest("The form is malformed", "send it urlencoded or as multipart/form-data with a boundary")
	}
	return query, form, nil
}

// parseCredentials returns the client id and secret from the Authorization header or
// from the form. Both are empty if there are none or they are malformed. A
// parameter without a value is treated as omitted (RFC 6749, section 3.2).
func parseCredentials(authorization []string, query, form url.Values) (id, secret string, err error) {
	ids, secrets := given(form["client_id"]), given(form["client_secret"])
	switch {
	case query.Has("client_secret"):
		return "", "", invalidRequest("client_secret must not be in the query", "send it by Basic authentication or in the form")
	case len(authorization) > 0 && len(secrets) > 0:
		return "", "", invalidRequest("Credentials must be given in one way only", "by Basic authentication or in the form")
	case len(authorization) == 1:
		id, secret, ok := api.ParseBasic(authorization[0])
		if ok && slices.ContainsFunc(ids, func(other string) bool { return other != id }) {
			return "", "", invalidRequest("client_id in the form differs from that of Basic authentication", "leave it out of the form")
		}
		return id, secret, nil
	case len(authorization) > 1:
		return "", "", nil
	case len(ids) > 1 || len(secrets) > 1:
		return "", "", invalidRequest("client_id and client_secret must be given once", "remove the other values from the form")
	default:
		return cmp.Or(ids...), cmp.Or(secrets...), nil
	}
}

// given returns the values that are not empty.
func given(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(value string) bool { return value == "" })
}

// grantType returns the grant type, which may be given several times with the same
// value.
func grantType(query, form url.Values) (string, error) {
	types := slices.Compact(given(slices.Concat(query["grant_type"], form["grant_type"])))
	switch len(types) {
	case 0:
		return "", invalidRequest("grant_type is missing", "add grant_type=client_credentials to the query or the form")
	case 1:
		return types[0], nil
	default:
		return "", invalidRequest("grant_type is given twice with different values", "send one of them")
	}
}
