package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

// eventCommand is `server event`.
type eventCommand struct {
	tenantFlags `embed:""`

	Name string `arg:"" help:"The event: subject:action, such as universal_submit:completed."`
	Data string `placeholder:"FILE" help:"File with the JSON for the field data of the webhooks; - is standard input. The default is {}."`
}

// Run publishes the event.
func (c eventCommand) Run(ctx context.Context) error {
	event := struct {
		Event string          `json:"event"`
		Data  json.RawMessage `json:"data,omitempty"`
	}{Event: c.Name}
	var err error
	switch c.Data {
	case "":
	case "-":
		event.Data, err = io.ReadAll(os.Stdin)
	default:
		event.Data, err = os.ReadFile(c.Data)
	}
	if err != nil {
		return fmt.Errorf("event: --data must be the name of a JSON file, or - for standard input: %w", err)
	}
	if c.Data != "" && !json.Valid(event.Data) {
		return fmt.Errorf("event: --data %s is not valid JSON", c.Data)
	}
	control, tenant, err := c.connect(ctx)
	if err != nil {
		return err
	}
	var fired struct {
		EventID       string `json:"event_id"`
		Subscriptions int
	}
	if err := control.call(ctx, http.MethodPost, tenantPath(tenant, "/events"), event, &fired); err != nil {
		return err
	}
	if fired.Subscriptions == 0 {
		fmt.Fprintf(stdout, "Published %s, but no active subscription of tenant %s matches it.\n", c.Name, tenant)
		return nil
	}
	fmt.Fprintf(stdout, "Published %s to %s of tenant %s. Event id: %s\n", c.Name, quantity(fired.Subscriptions, "subscription"), tenant, fired.EventID)
	return nil
}
