// Package company takes a company's name and address and has its data ready at
// once, to be read by report id. It knows nothing of how data is made, kept or
// shown.
package company

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/data"
	"understudy.example/internal/enrich"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Submit is `POST /company/v1/company_submit` (service.md, endpoint 8). wake
// tells that there is an event to deliver.
func Submit(db storage.DB, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		seed, err := readSeed(r)
		if err != nil {
			return err
		}
		done, _, err := submit(r, db, gate, caller, seed)
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusOK, done)
	}
}

// QuickSubmit is `POST /company/v1/quick_submit?dpid=…`: a company submit and
// the inquiry for its report in one call.
func QuickSubmit(db storage.DB, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		seed, err := readSeed(r)
		if err != nil {
			return err
		}
		dataPackage, err := data.CompanyPackage(r.Context(), db, caller, r.URL.Query().Get("dpid"))
		if err != nil {
			return err
		}
		done, report, err := submit(r, db, gate, caller, seed)
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusOK, data.CompanyV1(done, dataPackage, report))
	}
}

// NotImplemented answers a route that is known only by its name, to a client
// that may call it.
func NotImplemented(gate *auth.Gate, rt route.Route) api.Handler {
	return func(_ http.ResponseWriter, r *http.Request) error {
		if _, err := gate.Admit(r, rt); err != nil {
			return err
		}
		return api.NewError(http.StatusNotImplemented, "Not Implemented")
	}
}

// submit makes the company's report and tells of it.
func submit(r *http.Request, db storage.DB, gate *auth.Gate, caller auth.Caller, seed enrich.Seed) (done data.Head, report enrich.Report, err error) {
	ctx := r.Context()
	given, err := outcome.ForCompany(ctx, db, caller.TenantID, seed.CompanyName)
	if err != nil {
		return data.Head{}, enrich.Report{}, err
	}
	end, err := ending(ctx, gate, caller, given)
	if err != nil {
		return data.Head{}, enrich.Report{}, err
	}
	report = enrich.Enrich(enrich.Input{Seed: seed, Today: caller.Now})
	if given.HasValues() {
		report = given.Report(seed, caller.Now)
	}
	txID := caller.TenantName + "-" + uuid.NewString()
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		ids, err := data.Save(ctx, tx, caller.TenantID, txID, report, caller.Now)
		if err != nil {
			return err
		}
		done = data.NewHead(caller, txID, seed, ids, end)
		return hooks.Publish(ctx, tx, gate.Now(), hooks.Event{
			TenantID:   caller.TenantID,
			TenantName: caller.TenantName,
			Name:       "company_submit:completed",
			At:         end,
			Data:       done,
		})
	})
	if err != nil {
		return data.Head{}, enrich.Report{}, err
	}
	call.From(ctx).TxID = txID
	return done, report, nil
}

// readSeed reads the body's company name and address, both required.
func readSeed(r *http.Request) (enrich.Seed, error) {
	body, err := api.Read(r, api.MessageErrors)
	if err != nil {
		return enrich.Seed{}, err
	}
	name, _ := body.Text("company_name")
	if strings.TrimSpace(name) == "" {
		return enrich.Seed{}, api.NewError(http.StatusBadRequest, "company_name is required")
	}
	address, _ := body.Text("address")
	if strings.TrimSpace(address) == "" {
		return enrich.Seed{}, api.NewError(http.StatusBadRequest, "address is required")
	}
	return enrich.Seed{CompanyName: name, Address: address}, nil
}
