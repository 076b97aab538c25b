package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/conform"
)

// conformance compares a deployment with the contract.
type conformance struct {
	BaseURL         string        `default:"http://127.0.0.1:8080" help:"Where submit, status, company and data are."`
	AuthURL         string        `help:"Where tokens are; empty is as --base-url."`
	HooksURL        string        `help:"Where webhook subscriptions are; empty is as --base-url."`
	ClientID        string        `default:"acme-client" help:"A client that may do everything."`
	ClientSecret    string        `env:"CONFORM_CLIENT_SECRET" default:"acme-secret" help:"Its secret."`
	APIKey          string        `env:"CONFORM_API_KEY" default:"acme-api-key" help:"Its x-api-key."`
	CompanyPackage  string        `default:"acme-us-c0001" help:"Its data package of companies."`
	LocationPackage string        `default:"acme-us-l0001" help:"Its data package of locations."`
	LimitedID       string        `help:"A client that may only submit companies and read reports, to see what it is refused; with the seeded client, the seeded one. Else these checks are left out."`
	LimitedSecret   string        `env:"CONFORM_LIMITED_SECRET" help:"Its secret."`
	ForeignID       string        `help:"A client of another tenant, to see that it is shown nothing; with the seeded client, the seeded one. Else these checks are left out."`
	ForeignSecret   string        `env:"CONFORM_FOREIGN_SECRET" help:"Its secret."`
	ForeignKey      string        `env:"CONFORM_FOREIGN_API_KEY" help:"Its x-api-key."`
	OnlyStated      bool          `help:"Check only what the specification states; leave out what is public or chosen."`
	Wait            time.Duration `default:"10m" help:"How long a submission may take."`
	JUnit           string        `name:"junit" type:"path" help:"Also write the checks to this file, as JUnit XML."`
}

// Help is what --help shows beside the flags.
func (conformance) Help() string {
	return `Has the whole conversation of a client with a deployment (tokens, a submission from its upload to its data, a company, webhook subscriptions) and makes the mistakes that clients make. Prints a table of what agrees and what differs, with how sure each expectation is: stated in the specification, public, or chosen (nobody has shown the real answer). Exits with 0 when all agrees, with 1 when something differs or the deployment can't be reached.

Against the emulator on this machine no flag is needed. Against another deployment name the hosts and the credentials; secrets are better given by their environment variables.

What it leaves there: a submission of each version and a company, invented, and a few transactions without a file. Subscriptions, for a moment as many as a tenant may have, are deleted again, and point at a name that cannot be reached. Wrong credentials are always made-up ones.`
}

// Run fails when something differs.
func (c conformance) Run(ctx context.Context) error {
	for flag, address := range map[string]string{"--base-url": c.BaseURL, "--auth-url": c.AuthURL, "--hooks-url": c.HooksURL} {
		if at, err := url.Parse(address); address != "" && (err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https") {
			return fmt.Errorf("conform: %s %q is no http or https address", flag, address)
		}
	}
	target := conform.Target{
		BaseURL: c.BaseURL, AuthURL: cmp.Or(c.AuthURL, c.BaseURL), HooksURL: cmp.Or(c.HooksURL, c.BaseURL),
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, APIKey: c.APIKey,
		CompanyPackage: c.CompanyPackage, LocationPackage: c.LocationPackage,
		LimitedClientID: c.LimitedID, LimitedClientSecret: c.LimitedSecret,
		ForeignClientID: c.ForeignID, ForeignClientSecret: c.ForeignSecret, ForeignAPIKey: c.ForeignKey,
	}
	full, foreign, limited := auth.Demos[0], auth.Demos[1], auth.Demos[2]
	seeded := c.ClientID == full.ClientID && c.ClientSecret == full.ClientSecret
	if seeded && c.LimitedID == "" {
		target.LimitedClientID, target.LimitedClientSecret = limited.ClientID, limited.ClientSecret
	}
	if seeded && c.ForeignID == "" {
		target.ForeignClientID, target.ForeignClientSecret, target.ForeignAPIKey = foreign.ClientID, foreign.ClientSecret, foreign.APIKey
	}
	report, err := conform.Run(ctx, target, conform.Options{
		OnlyStated: c.OnlyStated, CompletionTimeout: c.Wait, PollInterval: 500 * time.Millisecond, Progress: os.Stderr, Client: http.DefaultClient,
	})
	if err == nil {
		err = report.WriteTable(os.Stdout)
	}
	if err == nil && c.JUnit != "" {
		err = c.write(report)
	}
	if err != nil {
		return err
	}
	if n := report.Differences(); n > 0 {
		return fmt.Errorf("conform: %d of %d checks differ", n, len(report.Checks))
	}
	return nil
}

// write writes the report to the file that was named.
func (c conformance) write(report *conform.Report) error {
	file, err := os.Create(c.JUnit)
	if err != nil {
		return err
	}
	return errors.Join(report.WriteJUnit(file, time.Now()), file.Close())
}
