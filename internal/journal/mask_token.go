package journal

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"understudy.example/internal/api"
	"understudy.example/internal/route"
)

// tokenParameters are the parameters of a token request that hold no secret.
var tokenParameters = []string{"grant_type", "client_id", "scope"}

// isTokenRequest reports whether the call requests an access token. Its query and its body
// often contain a client secret, sometimes in unexpected forms.
func (e exchange) isTokenRequest() bool {
	rt, _ := route.Find(route.API, "", e.request.URL.Path)
	return rt.Operation == route.CreateToken
}

// maskPath returns the path and the query of the call, with their secrets masked.
func (e exchange) maskPath() string {
	u := e.request.URL
	if u.RawQuery != "" && e.ClientID == "" && e.isTokenRequest() {
		return api.ToStorable(api.Mask(u.EscapedPath()) + "?" + maskTokenForm(u.RawQuery))
	}
	return maskPath(u)
}

// maskRequestBody returns the body of the request, with its secrets masked. The body of a token
// request is masked as a whole unless it is a form, or JSON of a known client. The fields of
// an unknown client cannot be compared with its secrets, so most of them are masked.
func (e exchange) maskRequestBody() []byte {
	contentType := e.request.Header.Get("Content-Type")
	if len(e.requestBody) == 0 || !e.isTokenRequest() {
		return maskBody(contentType, e.requestBody)
	}
	kind, _, _ := api.ParseMediaType(contentType)
	switch {
	case strings.HasPrefix(kind, "multipart/"), e.ClientID != "" && (kind == formType || json.Valid(e.requestBody)):
		return maskBody(contentType, e.requestBody)
	case kind == formType && !json.Valid(e.requestBody):
		return []byte(maskTokenForm(string(e.requestBody)))
	default:
		return []byte(mask)
	}
}

// maskTokenForm masks all fields of a URL-encoded form except those of tokenParameters. It keeps the
// names of fields with values.
func maskTokenForm(form string) string {
	fields := strings.FieldsFunc(form, func(r rune) bool { return r == '&' || r == ';' })
	for i, field := range fields[:min(len(fields), maxFields)] {
		name, value, named := strings.Cut(field, "=")
		plain, err := url.QueryUnescape(name)
		switch {
		case !named || err != nil || strings.ContainsAny(plain, wordEnds+partEnds):
			fields[i] = mask
		case !slices.Contains(tokenParameters, plain) || strings.ContainsAny(unescape(value, url.QueryUnescape), partEnds):
			fields[i] = name + "=" + mask
		}
	}
	if len(fields) > maxFields {
		fields = append(fields[:maxFields], mask)
	}
	return api.Mask(strings.Join(fields, "&"))
}
