package data

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"understudy/internal/api"
	"understudy/internal/auth"
	"understudy/internal/storage"
)

// Completed tells how a tenant's transaction stands: the status as the tenant
// sees it, and whether its data can be read; found is false for an unknown or
// foreign one.
type Completed func(ctx context.Context, db storage.DB, caller auth.Caller, txID string) (status string, complete, found bool, err error)

// Inquiry is `GET /data/v2/{dp_id}/{tx_id}` (service.md, endpoints 6 and 7):
// the company's data for idType=transaction, the locations' for idType=sov.
func Inquiry(db storage.DB, gate *auth.Gate, completed Completed) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Caller(r, "::data/v2:get")
		if err != nil {
			return err
		}
		kind, ok := map[string]string{"transaction": CompanyKind, "sov": LocationKind}[r.URL.Query().Get("idType")]
		if !ok {
			return invalidIDType()
		}
		ctx := r.Context()
		dataPackage, err := packageFor(ctx, db, caller.TenantID, r.PathValue("dp_id"), kind)
		if err != nil {
			return err
		}
		txID := r.PathValue("tx_id")
		status, complete, found, err := completed(ctx, db, caller, txID)
		switch {
		case err != nil:
			return err
		case !found:
			return transactionNotFound()
		case !complete:
			return notComplete(status)
		}
		report, err := reportOf(ctx, db, caller.TenantID, txID)
		if err != nil {
			return err
		}
		head := newHeadV2(caller, dataPackage, report)
		if kind == CompanyKind {
			return api.Write(w, http.StatusOK, companyV2(head, report.Company))
		}
		locations, err := locationsOf(ctx, db, report.CReportID)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, locationsV2(head, locations))
	}
}

// ReportInquiry is `GET /data/v1/{dp_id}/{report_id}` (service.md, endpoint 9).
func ReportInquiry(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Caller(r, "::data/v1:get")
		if err != nil {
			return err
		}
		dataPackage, err := packageFor(r.Context(), db, caller.TenantID, r.PathValue("dp_id"), CompanyKind)
		if err != nil {
			return err
		}
		report, err := reportByID(r.Context(), db, caller.TenantID, r.PathValue("report_id"))
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, companyV1(caller, dataPackage, report))
	}
}

// inquiryID is the tx_id of an answer: fresh for each inquiry.
func inquiryID() string { return uuid.NewString() }
