package server

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
)

// welcome returns the text for a new user: the URLs, the demo credentials and a first
// call.
func welcome(apiURL, controlURL, dataDir, environment string) string {
	if controlURL == "" {
		controlURL = "off"
	} else {
		controlURL += "  (web pages; control API at " + controlURL + "/control/v1)"
	}
	var out strings.Builder
	fmt.Fprintf(&out, `
Understudy is running.

  API      %[1]s  (documented at %[1]s/openapi.yaml, try it at %[1]s/docs)
  Console  %[2]s
  Data     %[3]s

`, apiURL, controlURL, dataDir)
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  tenant\tclient_id\tclient_secret\tx-api-key\tdata packages")
	for _, demo := range auth.Demos {
		demo = demo.In(environment)
		var packages []string
		for _, p := range data.DefaultPackages(demo.Tenant) {
			if p.Content == nil {
				packages = append(packages, p.ID)
			}
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", demo.Tenant, demo.ClientID, demo.ClientSecret, demo.APIKey, strings.Join(packages, ", "))
	}
	table.Flush()
	fmt.Fprintln(&out, "\nVersion 5 of the data has more packages: see docs/versions.md.")
	first := auth.Demos[0].In(environment)
	fmt.Fprintf(&out, `
A first call:

  curl -s -u %s:%s -X POST '%s/auth/token?grant_type=client_credentials'

`, first.ClientID, first.ClientSecret, apiURL)
	return out.String()
}
