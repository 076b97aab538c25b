// Package company takes a company's name and address and has its data ready at
// once, to be read by report id.
package company

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy/internal/api"
	"understudy/internal/auth"
	"understudy/internal/data"
	"understudy/internal/enrich"
	"understudy/internal/hooks"
	"understudy/internal/outcome"
	"understudy/internal/storage"
)

// Submit is `POST /company/v1/company_submit` (service.md, endpoint 8). wake
// tells that there is an event to deliver.
func Submit(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	type answer struct {
		TxID             string      `json:"tx_id"`
		TenantID         string      `json:"tenant_id"`
		UserID           uuid.UUID   `json:"user_id"`
		TxStartTime      api.Time    `json:"tx_start_time"`
		TxEndTime        api.Time    `json:"tx_end_time"`
		ResponseTimeSecs float64     `json:"response_time_secs"`
		SeedInput        enrich.Seed `json:"seed_input"`
		CReportID        string      `json:"c_report_id"`
		LReportID        string      `json:"l_report_id"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Caller(r, "::company/v1/company_submit:post")
		if err != nil {
			return err
		}
		seed, err := readSeed(r)
		if err != nil {
			return err
		}
		given, err := outcome.ForCompany(r.Context(), db, caller.TenantID, seed.CompanyName)
		if err != nil {
			return err
		}
		end, err := ending(r.Context(), gate, caller, given)
		if err != nil {
			return err
		}
		done := answer{
			TxID:        caller.TenantName + "-" + uuid.NewString(),
			TenantID:    caller.TenantName,
			UserID:      caller.UserID,
			TxStartTime: api.Time(caller.Now),
			SeedInput:   seed,
		}
		report := enrich.Enrich(enrich.Input{Seed: seed, Today: caller.Now})
		if given.GivesValues() {
			report = given.Report(seed, caller.Now)
		}
		err = pgx.BeginFunc(r.Context(), db, func(tx pgx.Tx) error {
			ids, err := data.Save(r.Context(), tx, caller.TenantID, done.TxID, report, caller.Now)
			if err != nil {
				return err
			}
			done.TxEndTime, done.ResponseTimeSecs = api.Time(end), api.Seconds(caller.Now, end)
			done.CReportID, done.LReportID = ids.Company, ids.Location
			return hooks.Publish(r.Context(), tx, gate.Now(), hooks.Event{
				TenantID:   caller.TenantID,
				TenantName: caller.TenantName,
				Name:       "company_submit:completed",
				At:         end,
				Data:       done,
			})
		})
		if err != nil {
			return err
		}
		api.CallOf(r.Context()).TxID = done.TxID
		wake()
		return api.Write(w, http.StatusOK, done)
	}
}

// readSeed reads the body's company name and address, both required.
func readSeed(r *http.Request) (enrich.Seed, error) {
	body, err := api.Read(r, api.Message)
	if err != nil {
		return enrich.Seed{}, err
	}
	name, _ := body.Text("company_name")
	if strings.TrimSpace(name) == "" {
		return enrich.Seed{}, api.Refuse(http.StatusBadRequest, "company_name is required")
	}
	address, _ := body.Text("address")
	if strings.TrimSpace(address) == "" {
		return enrich.Seed{}, api.Refuse(http.StatusBadRequest, "address is required")
	}
	return enrich.Seed{CompanyName: name, Address: address}, nil
}
