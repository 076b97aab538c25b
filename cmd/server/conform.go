package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"understudy/internal/auth"
	"understudy/internal/conform"
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
	OnlyStated      bool          `help:"Check only what the specification states; leave out what is public or chosen."`
	Wait            time.Duration `default:"10m" help:"How long a submission may take."`
	JUnit           string        `name:"junit" type:"path" help:"Also write the checks to this file, as JUnit XML."`
}

// Help is what --help shows beside the flags.
func (conformance) Help() string {
	return `Has the whole conversation of a client with a deployment (tokens, a submission from its upload to its data, a company, webhook subscriptions) and makes the mistakes that clients make. Prints a table of what agrees and what differs, with how sure each expectation is: stated in the specification, public, or chosen (nobody has shown the real answer). Exits with 1 when something differs.

Against the emulator on this machine no flag is needed. Against another deployment name the hosts and the credentials; secrets are better given by their environment variables.

What it leaves there: a submission and a company, invented, and a few transactions without a file. Subscriptions are deleted again, and point at a name that cannot be reached. Wrong credentials are always made-up ones.`
}

// Run fails when something differs.
func (c conformance) Run(ctx context.Context) error {
	target := conform.Target{
		BaseURL: c.BaseURL, AuthURL: cmp.Or(c.AuthURL, c.BaseURL), HooksURL: cmp.Or(c.HooksURL, c.BaseURL),
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, APIKey: c.APIKey,
		CompanyPackage: c.CompanyPackage, LocationPackage: c.LocationPackage,
		LimitedID: c.LimitedID, LimitedSecret: c.LimitedSecret,
	}
	if full, limited := auth.Demos[0], auth.Demos[2]; c.LimitedID == "" && c.ClientID == full.ClientID && c.ClientSecret == full.ClientSecret {
		target.LimitedID, target.LimitedSecret = limited.ClientID, limited.ClientSecret
	}
	report, err := conform.Run(ctx, target, conform.Options{
		OnlyStated: c.OnlyStated, Wait: c.Wait, Poll: 500 * time.Millisecond, Progress: os.Stderr, Client: http.DefaultClient,
	})
	if err == nil {
		err = report.Table(os.Stdout)
	}
	if err == nil && c.JUnit != "" {
		err = c.write(report)
	}
	if err != nil {
		return err
	}
	if n := report.Differs(); n > 0 {
		return fmt.Errorf("conform: %d checks differ", n)
	}
	return nil
}

// write writes the report to the file that was named.
func (c conformance) write(report *conform.Report) error {
	file, err := os.Create(c.JUnit)
	if err != nil {
		return err
	}
	return errors.Join(report.JUnit(file, time.Now()), file.Close())
}
