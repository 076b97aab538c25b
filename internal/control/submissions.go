package control

import (
	"net/http"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/data"
	"understudy.example/internal/outcome"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// Submit is `POST /tenants/{t}/submissions`: it submits the part `file` of a multipart
// body for the tenant, as the upload and the trigger do. maxSize is the largest size of a
// file in bytes. wake wakes the background steps.
func Submit(db storage.DB, uploads *universal.Uploads, gate *auth.Gate, maxSize int64, wake func(universal.Work)) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		caller, err := gate.CallerFor(r.Context(), db, tenant)
		if err != nil {
			return err
		}
		txID, _, work, err := universal.SubmitFile(r, db, uploads, gate, caller, maxSize)
		if err != nil {
			return err
		}
		wake(work)
		created, err := universal.ReadTransaction(r.Context(), db, tenant.ID, txID.String())
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusCreated, newListedTransaction(created.Transaction))
	}
}

// Inquiry is `GET /tenants/{t}/transactions/{tx_id}/inquiry`: the response that the data
// inquiry of a version sends to the tenant. The parameters locations_from and locations
// select a window of location data.
func Inquiry(reports data.Reports, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, reports.DB)
		if err != nil {
			return err
		}
		asked := data.Asked{TxID: r.PathValue("tx_id"), Locations: data.AllLocations}
		err = api.ReadQuery(r.URL.Query(), map[string]func(string) bool{
			"version": func(value string) bool {
				asked.Version = slices.Index([]string{"1", "2", "3", "4", "5"}, value) + 1
				return asked.Version > 0
			},
			"package": func(value string) bool { asked.PackageID = value; return value != "" },
			"id_type": func(value string) bool {
				asked.IDType = value
				return slices.Contains([]string{"transaction", "sov"}, value)
			},
			"locations_from": parseNumber(&asked.Locations.First), "locations": parseNumber(&asked.Locations.Most),
		})
		switch {
		case err != nil:
			return err
		case asked.Version == 0:
			return api.BadRequest("version is required: want 1 to 5")
		case asked.PackageID == "":
			return api.BadRequest("package is required: want the id of a data package")
		}
		caller, err := gate.CallerFor(r.Context(), reports.DB, tenant)
		if err != nil {
			return err
		}
		return reports.Inquire(w, r, caller, asked, universal.NewFinder(reports.DB).LookUpStatus)
	}
}

// TransactionOutcome is `GET /tenants/{t}/transactions/{tx_id}/outcome`: the result of a
// submission as an outcome that PutOutcome accepts.
func TransactionOutcome(db storage.DB, budget *api.Budget) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		submission, err := universal.ReadTransaction(r.Context(), db, tenant.ID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		if submission.Status != universal.Completed {
			return api.NewControlError(http.StatusConflict, "The submission is "+submission.Status+": only a completed one has a result")
		}
		report, at, room, err := data.Report(r.Context(), db, budget, tenant.ID, submission.TxID.String())
		if err != nil {
			return err
		}
		defer room.Release()
		body := outcome.NewDefinition(outcome.FromReport(report, submission.SHA256, at))
		return api.Write(w, http.StatusOK, exportedOutcome{body.Match, body.Facts, body.Options, body.Locations, body.Packages, body.Raw})
	}
}

// exportedOutcome is an outcome that is not stored yet.
type exportedOutcome struct {
	Match     outcome.Match    `json:"match"`
	Facts     outcome.Values   `json:"facts"`
	Options   outcome.Values   `json:"options"`
	Locations []outcome.Values `json:"locations"`
	Packages  outcome.Packages `json:"packages,omitzero"`
	Raw       bool             `json:"raw,omitempty"`
}
