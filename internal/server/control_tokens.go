package server

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"understudy.example/internal/control"
)

// ControlTokenFlags are the tokens that control calls need.
type ControlTokenFlags struct {
	ControlToken      string `env:"CONTROL_TOKEN" secret:"" help:"Bearer token that control calls need. If empty, and there are no named tokens, they need none."`
	ControlTokenFile  string `env:"CONTROL_TOKEN_FILE" help:"File that contains the control token, instead of --control-token."`
	ControlTokens     string `env:"CONTROL_TOKENS" secret:"" help:"Additional control tokens with the names by which the audit log shows them: name=token, separated by commas or lines."`
	ControlTokensFile string `env:"CONTROL_TOKENS_FILE" help:"File that contains the additional control tokens, instead of --control-tokens."`
}

// defaultToken is the name of CONTROL_TOKEN.
const defaultToken = "default"

var tokenName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// tokens returns all control tokens, with their names.
func (c *ControlTokenFlags) tokens() (tokens []control.Token, err error) {
	add := func(name, value string) error {
		switch {
		case value == "":
			return fmt.Errorf("the token %q is empty", name)
		case slices.ContainsFunc(tokens, func(t control.Token) bool { return t.Name == name }):
			return fmt.Errorf("two tokens have the name %q", name)
		case slices.ContainsFunc(tokens, func(t control.Token) bool { return t.Value == value }):
			return fmt.Errorf("the token %q is the same as another one", name)
		}
		tokens = append(tokens, control.Token{Name: name, Value: value})
		return nil
	}
	if c.ControlToken != "" {
		if err := add(defaultToken, c.ControlToken); err != nil {
			return nil, err
		}
	}
	separators := func(r rune) bool { return r == ',' || r == '\n' }
	for _, entry := range strings.FieldsFunc(c.ControlTokens, separators) {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || !tokenName.MatchString(name) {
			return nil, errors.New("CONTROL_TOKENS: want entries of the form name=token, whose names have lower-case letters, digits, dots, - and _")
		}
		if err := add(name, value); err != nil {
			return nil, fmt.Errorf("CONTROL_TOKENS: %w", err)
		}
	}
	return tokens, nil
}

// controlAccess returns the tokens and the hosts that the control API accepts.
func (c *Config) controlAccess() (control.Access, error) {
	tokens, err := c.tokens()
	if err != nil {
		return control.Access{}, err
	}
	hosts := strings.Split(c.ControlHosts, ",")
	if bound, _, err := net.SplitHostPort(c.Control); err == nil && Reachable(bound) == bound {
		hosts = append(hosts, bound)
	}
	return control.Access{Tokens: tokens, Hosts: hosts}, nil
}

// unsafeControlTokens returns why the control tokens are unsafe for a shared deployment.
func (c *Config) unsafeControlTokens() (reasons []string) {
	if c.Control == "" {
		return nil
	}
	if c.ControlToken == "" {
		reasons = append(reasons, "the control listener is on and CONTROL_TOKEN is not set")
	}
	tokens, err := c.tokens()
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	for _, token := range tokens {
		name := "CONTROL_TOKEN"
		if token.Name != defaultToken {
			name = fmt.Sprintf("the token %q of CONTROL_TOKENS", token.Name)
		}
		if len(strings.TrimSpace(token.Value)) < minControlToken {
			reasons = append(reasons, fmt.Sprintf("the control listener is on and %s has fewer than %d characters", name, minControlToken))
		}
	}
	return reasons
}

// minControlToken is the minimum length of the control tokens of a shared deployment.
const minControlToken = 32
