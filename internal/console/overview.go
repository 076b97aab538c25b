package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/console/snippet"
)

// Demo are the credentials of a demo client, which are the same on every machine.
type Demo struct{ ClientID, ClientSecret, APIKey string }

// overviewData is what the overview shows. Without a tenant, there are only tenants.
type overviewData struct {
	Tenants  []any
	After    string // cursor of the next tenants; "" = there are no more
	Numbers  any
	Findings []any
	Checked  int // number of newest calls that were checked for findings; 0 = all of the journal
	Chart    chart
	Coverage *coverage
	Fresh    bool // nothing was submitted yet
	Commands []command
	feedData
}

// feedData is a part of the feed.
type feedData struct {
	Entries []any
	Kind    string // "" = all
	Before  string // cursor of older entries; "" = there are none
}

// callsChecked is the number of newest calls that the overview checks for findings,
// unless its URL asks for all.
const callsChecked = 1_000

// tenantsShown and entriesShown are how many tenants and entries of the feed a page of
// the overview has.
const (
	tenantsShown = "50"
	entriesShown = "20"
)

// loadOverview loads the overview of the tenant in the URL, or of the one that was active
// last.
func loadOverview(v *visit) (any, error) {
	var data overviewData
	part := v.Query.Get("part") // the parts that a page loads again when something has happened
	v.Query.Del("part")
	if part == "" {
		listed, err := v.get("/tenants?" + url.Values{"limit": {tenantsShown}, "after": {v.Query.Get("after")}, "q": {v.Query.Get("q")}, "brief": {"true"}}.Encode())
		if err != nil {
			return nil, err
		}
		data.Tenants, _ = at(listed, "tenants").([]any)
		data.After = text(listed, "after")
		if v.Tenant == "" && len(data.Tenants) > 0 {
			v.Tenant = lastActive(data.Tenants)
			v.Query.Set("tenant", v.Tenant)
			if err := v.loadFrame(); err != nil {
				return nil, err
			}
		}
	}
	if v.Tenant == "" {
		return data, nil
	}
	if part != "numbers" {
		if err := data.loadFeed(v); err != nil || part == "feed" {
			return data, err
		}
	}
	return data, data.loadNumbers(v)
}

// lastActive returns the name of the tenant with the last activity; the first one if
// none was active.
func lastActive(tenants []any) string {
	return text(slices.MaxFunc(tenants, func(a, b any) int {
		return strings.Compare(text(a, "last_activity"), text(b, "last_activity"))
	}), "name")
}

func (data *overviewData) loadFeed(v *visit) error {
	query := url.Values{"limit": {entriesShown}}
	if data.Kind = v.Query.Get("kind"); data.Kind != "" {
		query.Set("kind", data.Kind)
	}
	if before := v.Query.Get("before"); before != "" {
		query.Set("before", before)
	}
	listed, err := v.get(v.path("/feed?" + query.Encode()))
	data.Entries, _ = at(listed, "entries").([]any)
	data.Before = text(listed, "before")
	return err
}

func (data *overviewData) loadNumbers(v *visit) error {
	query, all := url.Values{}, v.Query.Get("findings") == "all"
	if window := v.Query.Get("window"); window != "" {
		query.Set("window", window)
	}
	if !all {
		query.Set("newest_calls", strconv.Itoa(callsChecked))
	}
	var err error
	if data.Numbers, err = v.get(v.path("/overview?" + query.Encode())); err != nil {
		return err
	}
	if calls, _ := strconv.Atoi(text(data.Numbers, "calls")); calls > callsChecked && !all {
		data.Checked = callsChecked
	}
	data.Findings, _ = at(data.Numbers, "findings").([]any)
	data.Chart = newChart(at(data.Numbers, "history"))
	if data.Fresh = text(data.Numbers, "submissions", "total") == "0"; data.Fresh {
		if data.Commands, err = v.firstCommands(); err != nil {
			return err
		}
	}
	seen, err := v.get(v.path("/coverage"))
	data.Coverage = newCoverage(seen)
	return err
}

// command is a command that a new user can copy.
type command struct{ Does, Text string }

// firstCommands returns the commands that submit a document and read what was found in
// it. They have the demo credentials, if the tenant has such, or else names to replace.
func (v *visit) firstCommands() ([]command, error) {
	tenant, err := v.get(v.path(""))
	if err != nil {
		return nil, err
	}
	demo, packageID := Demo{"CLIENT_ID", "CLIENT_SECRET", "API_KEY"}, "PACKAGE_ID"
	if clients, _ := at(tenant, "clients").([]any); len(clients) > 0 {
		demo.ClientID = text(clients[0], "client_id")
	}
	if known, ok := v.Demos[v.Tenant]; ok {
		demo = known
	}
	if packages, _ := at(tenant, "packages").([]any); len(packages) > 0 {
		packageID = text(packages[0])
		for _, p := range packages {
			if strings.Contains(text(p), "-c") {
				packageID = text(p)
				break
			}
		}
	}
	pick := func(field string) string { return `sed -n 's/.*"` + field + `":"\([^"]*\)".*/\1/p'` }
	headers := `-H "Authorization: Bearer $TOKEN" -H "x-api-key: ` + demo.APIKey + `"`
	return []command{
		{"Get an access token.", "TOKEN=$(curl -s -u " + snippet.ShellQuote(demo.ClientID+":"+demo.ClientSecret) + " -X POST \\\n  " +
			snippet.ShellQuote(v.APIURL+"/auth/token?grant_type=client_credentials") + " | " + pick("access_token") + ")"},
		{"Submit a document.", "TX_ID=$(printf 'Insured: Foxglove Bakery LLC\\n12 Mill Street, Springfield, IL 62701\\n' |\n  curl -s " + headers + " \\\n  -F 'file=@-;filename=letter.txt' " +
			snippet.ShellQuote(v.APIURL+"/universal/v3/universal-submit/file") + " | " + pick("tx_id") + ")"},
		{"A few seconds later, read what was found in it.", "curl -s " + headers + " \\\n  \"" + v.APIURL + "/data/v2/" + packageID + "/$TX_ID?idType=transaction\""},
	}, nil
}
