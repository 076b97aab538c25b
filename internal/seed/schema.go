package seed

import (
	_ "embed"
	"net/http"

	"understudy.example/internal/api"
)

// Schema is the JSON schema of seeds, for editors. A test generates it from the OpenAPI document
// of the control API, which describes the sections of a configuration.
//
//go:embed seed.schema.json
var Schema []byte

// ServeSchema is `GET /seed.schema.json`.
func ServeSchema() api.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		w.Write(Schema) // on an error the connection is gone
		return nil
	}
}
