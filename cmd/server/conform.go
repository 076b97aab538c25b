package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/conform"
	"understudy.example/internal/seed"
)

// conformCommand is `server conform`.
type conformCommand struct {
	BaseURL         string        `default:"http://127.0.0.1:8080" help:"Base URL of submit, status, company and data calls."`
	AuthURL         string        `help:"Base URL of the token endpoint. Empty is the same as --base-url."`
	HooksURL        string        `help:"Base URL of the webhook endpoints. Empty is the same as --base-url."`
	ClientID        string        `default:"acme-client" help:"Client with all permissions."`
	ClientSecret    string        `env:"CONFORM_CLIENT_SECRET" secret:"" default:"acme-secret" help:"Secret of the client."`
	APIKey          string        `env:"CONFORM_API_KEY" secret:"" default:"acme-api-key" help:"x-api-key of the client."`
	CompanyPackage  string        `default:"acme-us-c0001" help:"Company data package of the client."`
	LocationPackage string        `default:"acme-us-l0001" help:"Location data package of the client."`
	LimitedID       string        `help:"Client that may only submit companies and read reports. If empty, checks of missing permissions are skipped, unless the client is acme-client: then it is acme-company-client."`
	LimitedSecret   string        `env:"CONFORM_LIMITED_SECRET" secret:"" help:"Secret of the limited client."`
	ForeignID       string        `help:"Client of another tenant. If empty, checks that tenants cannot see each other are skipped, unless the client is acme-client: then it is globex-client."`
	ForeignSecret   string        `env:"CONFORM_FOREIGN_SECRET" secret:"" help:"Secret of the foreign client."`
	ForeignKey      string        `env:"CONFORM_FOREIGN_API_KEY" secret:"" help:"x-api-key of the foreign client."`
	OnlyStated      bool          `help:"Check only the behaviour that the specification states; skip public and chosen behaviour."`
	Wait            time.Duration `default:"10m" help:"Maximum time to wait for the end of a submission."`
	JUnit           string        `name:"junit" type:"path" help:"Also write the checks to this file as JUnit XML."`
}

// Help describes the command.
func (conformCommand) Help() string {
	return `Makes every kind of call that a client makes (tokens, a submission from its upload to its data, a company, webhook subscriptions), including typical mistakes. It prints a table of all checks, in which each response agrees with the expected one or differs from it. Each expectation has a label: stated in the specification, public, or chosen because the real response is unknown. The exit status is 0 if everything agrees, and 1 if something differs or the deployment cannot be reached.

To check the emulator on this machine, no flag is needed. For another deployment, set its URLs and credentials; pass the secrets in environment variables.

The command leaves data in the deployment: one submission for each version, one company, and a few transactions without a file. All of it is invented. It also creates as many subscriptions as a tenant can have, all to a host that does not exist, and deletes them again. Checks of wrong credentials use invented ones.`
}

// Run returns an error if a check differs.
func (c conformCommand) Run(ctx context.Context) error {
	for flag, address := range map[string]string{"--base-url": c.BaseURL, "--auth-url": c.AuthURL, "--hooks-url": c.HooksURL} {
		if at, err := url.Parse(address); address != "" && (err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https") {
			return fmt.Errorf("conform: %s %q is not an http or https URL", flag, address)
		}
	}
	target := conform.Target{
		BaseURL: c.BaseURL, AuthURL: cmp.Or(c.AuthURL, c.BaseURL), HooksURL: cmp.Or(c.HooksURL, c.BaseURL),
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, APIKey: c.APIKey,
		CompanyPackage: c.CompanyPackage, LocationPackage: c.LocationPackage,
		LimitedClientID: c.LimitedID, LimitedClientSecret: c.LimitedSecret,
		ForeignClientID: c.ForeignID, ForeignClientSecret: c.ForeignSecret, ForeignAPIKey: c.ForeignKey,
	}
	environment, seeded := c.seededIn()
	foreign, limited := seed.Demos()[1].In(environment), seed.Demos()[2].In(environment)
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

// seededIn returns the environment whose seeded client the client is, and reports
// whether it is one.
func (c conformCommand) seededIn() (environment string, seeded bool) {
	full := seed.Demos()[0]
	suffix, _ := strings.CutPrefix(c.ClientSecret, full.ClientSecret)
	environment = cmp.Or(strings.TrimPrefix(suffix, "-"), auth.DefaultEnvironment)
	return environment, c.ClientID == full.ClientID && c.ClientSecret == full.In(environment).ClientSecret
}

// write writes the report to the file that --junit names.
func (c conformCommand) write(report *conform.Report) error {
	file, err := os.Create(c.JUnit)
	if err != nil {
		return err
	}
	return errors.Join(report.WriteJUnit(file, time.Now()), file.Close())
}
