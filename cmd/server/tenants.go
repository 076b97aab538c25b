package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"text/tabwriter"
)

// tenantsCommand is `server tenants`.
type tenantsCommand struct {
	controlFlags `embed:""`

	JSON bool `name:"json" help:"Print the response of the control API."`
}

// Run prints the tenants.
func (c tenantsCommand) Run(ctx context.Context) error {
	control := c.control()
	response, err := control.Call(ctx, http.MethodGet, "/tenants", nil)
	var list struct {
		Tenants []struct {
			Name    string
			Clients []struct {
				ClientID string `json:"client_id"`
			}
			Counts       struct{ Transactions int }
			LastActivity string `json:"last_activity"`
		}
	}
	if err := control.decode(response, err, &list); err != nil {
		return err
	}
	if c.JSON {
		_, err := os.Stdout.Write(append(response.Body, '\n'))
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TENANT\tFIRST CLIENT\tSUBMISSIONS\tLAST ACTIVITY")
	for _, tenant := range list.Tenants {
		client := "none"
		if len(tenant.Clients) > 0 {
			client = tenant.Clients[0].ClientID
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", tenant.Name, client, tenant.Counts.Transactions, cmp.Or(tenant.LastActivity, "none"))
	}
	return table.Flush()
}
