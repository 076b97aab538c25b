package server

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/seed"
)

// welcome returns the text for a new user: the URLs, the demo credentials and a first
// call. With a seed, it has the clients of the seed without their secrets.
func (a *App) welcome(apiURL, controlURL, dataDir string) string {
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
	if a.Seed != nil {
		fmt.Fprintf(&out, "Clients of the seed %s:\n\n", a.Seed.Name)
		for _, client := range a.Seed.Clients() {
			fmt.Fprintf(&out, "  %s  (tenant %s)\n", client.ClientID, client.Tenant)
		}
		fmt.Fprintln(&out)
		return out.String()
	}
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  tenant\tclient_id\tclient_secret\tx-api-key\tdata packages")
	demos := a.shownDemos()
	for _, demo := range demos {
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
	first := demos[0]
	fmt.Fprintf(&out, `
A first call:

  curl -s -u %s:%s -X POST '%s/auth/token?grant_type=client_credentials'

`, first.ClientID, first.ClientSecret, apiURL)
	return out.String()
}

// shownDemos returns the demo clients whose credentials pages and the welcome may show:
// none if the server has a seed of its own, or is shared.
func (a *App) shownDemos() []auth.Demo {
	if a.Shared || a.Seed != nil {
		return nil
	}
	return seed.Demo(a.Keys.Environment).Clients()
}
