package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"understudy.example/internal/auth"
	"understudy.example/internal/remote"
	"understudy.example/internal/seed"
)

// controlFlags are the flags of commands that call the control API of a running server.
type controlFlags struct {
	ControlURL   string `env:"UNDERSTUDY_CONTROL_URL" default:"http://127.0.0.1:8081" help:"URL of the server's control listener."`
	ControlToken string `env:"UNDERSTUDY_CONTROL_TOKEN" secret:"" placeholder:"TOKEN" help:"The server's control token, if it requires one."`
}

func (f controlFlags) control() controlAPI {
	at := strings.TrimSuffix(f.ControlURL, "/")
	if !strings.Contains(at, "://") {
		at = "http://" + at
	}
	return controlAPI{remote.Control{URL: at, Token: f.ControlToken, Client: http.DefaultClient}}
}

// controlAPI is the control API of a running server. Its errors say what to do.
type controlAPI struct{ remote.Control }

// call calls the control API with in as the JSON body, unless in is nil, and unmarshals
// the response into out, unless out is nil.
func (c controlAPI) call(ctx context.Context, method, path string, in, out any) error {
	response, err := c.Call(ctx, method, path, in)
	return c.decode(response, err, out)
}

// decode unmarshals the response into out, unless out is nil or there is an error.
func (c controlAPI) decode(response remote.Response, err error, out any) error {
	var failed *url.Error
	switch {
	case errors.As(err, &failed) && ctxEnded(err):
		return errors.New("interrupted")
	case errors.As(err, &failed):
		return fmt.Errorf("no server can be reached at %s (%w): start one with `%s`, or set --control-url to the URL of its control listener", c.URL, failed.Err, program)
	case err != nil:
		return err
	case response.Status == http.StatusUnauthorized:
		return fmt.Errorf("the server at %s requires another control token: set UNDERSTUDY_CONTROL_TOKEN to its --control-token", c.URL)
	}
	return response.Decode(out)
}

func ctxEnded(err error) bool { return errors.Is(err, context.Canceled) }

// tenants returns the names of all tenants, in order.
func (c controlAPI) tenants(ctx context.Context) (names []string, err error) {
	var list struct {
		Tenants []struct{ Name string }
	}
	err = c.call(ctx, http.MethodGet, "/tenants?brief=true", nil, &list)
	for _, tenant := range list.Tenants {
		names = append(names, tenant.Name)
	}
	return names, err
}

// dataPackage is a data package of a tenant.
type dataPackage struct{ ID, Kind, Content string }

func (c controlAPI) packages(ctx context.Context, tenant string) ([]dataPackage, error) {
	var list struct{ Packages []dataPackage }
	err := c.call(ctx, http.MethodGet, tenantPath(tenant, "/packages"), nil, &list)
	return list.Packages, err
}

// choosePackage returns the tenant's data package with the ID wanted or, if wanted is "", its first
// company package.
func (c controlAPI) choosePackage(ctx context.Context, tenant, wanted string) (string, error) {
	if wanted == "" {
		return c.packageOf(ctx, tenant, "company")
	}
	packages, err := c.packages(ctx, tenant)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, p := range packages {
		if p.ID == wanted {
			return wanted, nil
		}
		ids = append(ids, p.ID)
	}
	return "", fmt.Errorf("tenant %s has no data package %q: set --package to one of: %s", tenant, wanted, strings.Join(ids, ", "))
}

// packageOf returns the tenant's first data package of the kind, company or location, that shows
// the fields of version 2.
func (c controlAPI) packageOf(ctx context.Context, tenant, kind string) (string, error) {
	packages, err := c.packages(ctx, tenant)
	if err != nil {
		return "", err
	}
	for _, p := range packages {
		if p.Kind == kind && p.Content == "" {
			return p.ID, nil
		}
	}
	return "", fmt.Errorf("tenant %s has no data package of the kind %s", tenant, kind)
}

// tenantFlags are the flags of commands about one tenant.
type tenantFlags struct {
	controlFlags `embed:""`

	Tenant string `env:"UNDERSTUDY_TENANT" placeholder:"NAME" help:"The tenant. The default is the first demo tenant or, if the server has only one tenant, that tenant."`
}

// connect returns the control API and the name of the tenant.
func (f tenantFlags) connect(ctx context.Context) (controlAPI, string, error) {
	control := f.control()
	names, err := control.tenants(ctx)
	if err != nil {
		return control, "", err
	}
	name, err := choose(f.Tenant, names)
	return control, name, err
}

// firstDemo returns the client of the first demo tenant.
func firstDemo() auth.Demo { return seed.Demos()[0] }

// maxListed is the maximum number of tenants that an error lists.
const maxListed = 20

// choose returns the tenant with the name wanted or, if wanted is "", the default tenant.
func choose(wanted string, names []string) (string, error) {
	list := strings.Join(names[:min(len(names), maxListed)], ", ")
	if len(names) > maxListed {
		list += ", …"
	}
	switch {
	case len(names) == 0:
		return "", errors.New("the server has no tenants: create one in the console or with POST /control/v1/tenants")
	case slices.Contains(names, wanted):
		return wanted, nil
	case wanted != "":
		return "", fmt.Errorf("the server has no tenant %q: set --tenant to one of: %s", wanted, list)
	case slices.Contains(names, firstDemo().Tenant):
		return firstDemo().Tenant, nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("the server has several tenants: set --tenant to one of: %s", list)
}

// tenantPath returns the path of a resource of the tenant.
func tenantPath(tenant, suffix string) string { return "/tenants/" + url.PathEscape(tenant) + suffix }
