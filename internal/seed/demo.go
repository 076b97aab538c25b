package seed

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/auth"
)

// DemoText is the seed of the demo tenants in the environment sandbox.
//
//go:embed demo.yaml
var DemoText []byte

// Demos returns the clients of the demo tenants in the environment sandbox: acme's,
// globex's, and acme's company-only client.
var Demos = sync.OnceValue(func() []auth.Demo { return parseDemo().Clients() })

// DemoIDs returns the ids of the demo clients, which are the same in every environment.
func DemoIDs() []string {
	var ids []string
	for _, demo := range Demos() {
		ids = append(ids, demo.ClientID)
	}
	return ids
}

// Demo returns the seed of the demo tenants in an environment. See auth.Demo.In.
func Demo(environment string) *File {
	f := parseDemo()
	for _, t := range f.tenants {
		var clients []map[string]any
		var keys []string
		mustDecode(t.body["clients"], &clients)
		mustDecode(t.body["api_keys"], &keys)
		for _, c := range clients {
			c["client_secret"] = auth.Demo{ClientSecret: c["client_secret"].(string)}.In(environment).ClientSecret
		}
		for i, key := range keys {
			keys[i] = auth.Demo{APIKey: key}.In(environment).APIKey
		}
		t.body["clients"], t.body["api_keys"] = mustEncode(clients), mustEncode(keys)
	}
	return f
}

func parseDemo() *File {
	f, err := Parse("demo.yaml", DemoText)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return f
}

func mustDecode(text json.RawMessage, to any) {
	if err := json.Unmarshal(text, to); err != nil {
		panic(err)
	}
}

func mustEncode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// IsDemo reports whether the seed has the id, the secret or the API key of a demo client,
// in any environment.
func (f *File) IsDemo() bool {
	var given []string
	for _, c := range f.Clients() {
		given = append(given, c.ClientID, c.ClientSecret)
	}
	for _, t := range f.tenants {
		var keys []string
		json.Unmarshal(t.body["api_keys"], &keys) // what is invalid is reported when the seed is applied
		given = append(given, keys...)
	}
	return slices.ContainsFunc(given, func(text string) bool {
		return slices.ContainsFunc(Demos(), func(demo auth.Demo) bool {
			return text == demo.ClientID || strings.HasPrefix(text, demo.ClientSecret) || strings.HasPrefix(text, demo.APIKey)
		})
	})
}
