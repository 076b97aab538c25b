package api

import (
	"encoding/base64"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strings"

	"understudy.example/internal/call"
)

// ErrManyFields is the error of a form with more than MaxFields fields.
var ErrManyFields = errors.New("the form has too many fields")

// MaxFields is the maximum number of fields of a form. A form of many tiny fields takes much longer
// to parse than a form of a few large fields with as many bytes.
const MaxFields = 200

// ParseForm parses a URL-encoded form or query. Its names and values can be stored.
// Like url.ParseQuery, it returns the valid fields even if there is an error. If there are more than
// MaxFields, it returns the first ones and ErrManyFields.
func ParseForm(text string) (url.Values, error) {
	fields := strings.SplitN(text, "&", MaxFields+1)
	if len(fields) <= MaxFields {
		return url.ParseQuery(storableQuery(text))
	}
	form, _ := url.ParseQuery(storableQuery(strings.Join(fields[:MaxFields], "&")))
	return form, ErrManyFields
}

// ReadMultipart returns the fields of a multipart form, as far as it could be read.
// Their names and values can be stored. The error is ErrManyFields if there are more than MaxFields.
func ReadMultipart(body io.Reader, boundary string) (url.Values, error) {
	form, parts := url.Values{}, multipart.NewReader(body, boundary)
	for count := 0; ; count++ {
		part, err := parts.NextPart()
		if err == io.EOF {
			return form, nil
		}
		if err != nil {
			return form, err
		}
		if count == MaxFields {
			return form, ErrManyFields
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return form, err
		}
		form.Add(ToStorable(part.FormName()), ToStorable(string(value)))
	}
}

// DescribePart returns the header of a part of a multipart body, as text that can be
// stored. Each text is cut to 1 KB.
func DescribePart(part *multipart.Part) call.Part {
	described := func(text string) string { return ToStorable(text[:min(len(text), 1<<10)]) }
	return call.Part{
		Name:        described(part.FormName()),
		Filename:    described(part.FileName()),
		ContentType: described(part.Header.Get("Content-Type")),
	}
}

// ParseBasic parses an Authorization header of the Basic scheme (RFC 7617), and reports
// whether it is one. The client id and the secret can be stored.
func ParseBasic(header string) (id, secret string, ok bool) {
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "basic") {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(ToStorable(string(decoded)), ":")
}
