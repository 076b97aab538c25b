package main

import (
	"os"
	"time"

	"understudy.example/internal/seed"
)

// seedCommand is `server seed`.
type seedCommand struct {
	Check  seedCheck  `cmd:"" help:"Check a seed without a server: its YAML, its keys, and the values that do not depend on a server."`
	Schema seedSchema `cmd:"" help:"Print the JSON schema of seeds."`
	Demo   seedDemo   `cmd:"" help:"Print the seed of the demo tenants."`
}

type seedCheck struct {
	File string `arg:"" help:"The seed."`
}

// Run prints nothing if the seed is valid.
func (c *seedCheck) Run() error {
	f, err := seed.Read(c.File)
	if err != nil {
		return err
	}
	return f.Check(time.Now())
}

type seedSchema struct{}

// Run prints the schema.
func (seedSchema) Run() error {
	_, err := os.Stdout.Write(seed.Schema)
	return err
}

type seedDemo struct{}

// Run prints the seed.
func (seedDemo) Run() error {
	_, err := os.Stdout.Write(seed.DemoText)
	return err
}
