package auth

import (
	"encoding/json"
	"regexp"
	"slices"

	"understudy.example/internal/api"
)

// credentialForm is the form of a credential that the caller chose: a pattern, and its
// description for errors.
type credentialForm struct {
	pattern *regexp.Regexp
	want    string
}

var (
	// Basic authentication ends the client id at the first colon. It is also part of
	// paths.
	clientIDForm = credentialForm{
		regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~@-]{0,99}$`),
		"1 to 100 letters, digits and . _ ~ @ -, beginning with a letter or digit",
	}
	secretForm = credentialForm{regexp.MustCompile(`^[!-~]{1,200}$`), "1 to 200 characters of printable ASCII without spaces"}
)

// ValidClientID reports whether a client can have the id.
func ValidClientID(id string) bool { return clientIDForm.pattern.MatchString(id) }

// ReadClientID reads the client id at a path of the body. Its error is an *api.Error.
func ReadClientID(at string, raw json.RawMessage) (string, error) { return clientIDForm.read(at, raw) }

// ReadSecret reads the client secret or API key at a path of the body. Its error is an
// *api.Error.
func ReadSecret(at string, raw json.RawMessage) (string, error) { return secretForm.read(at, raw) }

func (f credentialForm) read(at string, raw json.RawMessage) (string, error) {
	text, err := api.ReadText(at, raw)
	if err != nil || !f.pattern.MatchString(text) {
		return "", api.BadRequest("%s: want %s", at, f.want)
	}
	return text, nil
}

// ReadPermissions reads the permissions in the body. If the body has none, it returns the
// defaults. Its error is an *api.Error.
func ReadPermissions(body api.Object, defaults []string) (permissions []string, err error) {
	raw, given := body["permissions"]
	if !given {
		return defaults, nil
	}
	if json.Unmarshal(raw, &permissions) != nil || permissions == nil {
		return nil, api.BadRequest("permissions: want an array of strings")
	}
	for _, permission := range permissions {
		if !slices.Contains(AllPermissions, permission) {
			return nil, api.BadRequest("permissions: unknown permission %q", permission)
		}
	}
	return permissions, nil
}
