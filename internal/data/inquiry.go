package data

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// version is a version of the inquiry for a transaction, as in the path: v2 to
// v5.
type version string

const (
	v2 version = "v2"
	v5 version = "v5"
)

// StatusLookup returns the status of the caller's transaction, in the caller's
// vocabulary, and whether its data can be read. found is false if the transaction is
// unknown or another tenant's.
type StatusLookup func(ctx context.Context, caller auth.Caller, txID string) (status string, readable, found bool, err error)

// Inquiry is `GET /data/v2/{dp_id}/{tx_id}` (service.md, endpoints 6 and 7): the
// company data for idType=transaction, the location data for idType=sov. From version
// 3 on, the kind of the package determines the data, and the id can be a report id.
func Inquiry(db storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route, lookUp StatusLookup) api.Handler {
	version := version(rt.Version)
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		kind, err := version.kind(r)
		if err != nil {
			return err
		}
		ctx := r.Context()
		dataPackage, err := packageFor(ctx, db, caller.TenantID, r.PathValue("dp_id"), kind)
		if err != nil {
			return err
		}
		report, err := version.find(ctx, db, caller, r.PathValue("tx_id"), lookUp)
		if err != nil {
			return err
		}
		call.From(ctx).TxID = report.TxID
		inquiryID, err := auth.NewID(ctx, db, auth.InquiryID, caller.Tenant())
		if err != nil {
			return err
		}
		head := newHeadV2(caller, inquiryID, dataPackage, report)
		if kind == "" {
			kind = dataPackage.Kind
		}
		if kind == CompanyKind {
			company, room, err := report.company(ctx, db, budget, caller.TenantID)
			if err != nil {
				return err
			}
			defer room.Release()
			return api.Write(w, http.StatusOK, version.companyBody(head, dataPackage, company, report.CreatedAt))
		}
		room, err := budget.Reserve(ctx, caller.TenantID, storage.BatchMemory(report.LocationsBytes))
		if err != nil {
			return err
		}
		defer room.Release()
		body, elements := version.locationsBody(head, dataPackage, report.locations(ctx, db, room))
		return api.WriteArray(w, r, http.StatusOK, body, "data", elements)
	}
}

// kind returns the kind of data that the request names; "" means the kind of the
// package.
func (v version) kind(r *http.Request) (string, error) {
	if v != v2 {
		return "", nil
	}
	switch given := r.URL.Query()["idType"]; {
	case slices.Equal(given, []string{"transaction"}):
		return CompanyKind, nil
	case slices.Equal(given, []string{"sov"}):
		return LocationKind, nil
	default:
		return "", invalidIDType()
	}
}

// reportID matches report ids, those of the emulator and those of the service.
var reportID = regexp.MustCompile(`^[CL][A-Z]{2}[0-9A-Z]+$`)

// find returns the report of the transaction with the id. From version 3 on, the id
// can also be that of a report or of a company submit.
func (v version) find(ctx context.Context, db storage.DB, caller auth.Caller, id string, lookUp StatusLookup) (storedReport, error) {
	if v != v2 && reportID.MatchString(id) {
		return reportByID(ctx, db, caller.TenantID, id)
	}
	status, readable, found, err := lookUp(ctx, caller, id)
	switch {
	case err != nil:
		return storedReport{}, err
	case !found && v == v2:
		return storedReport{}, transactionNotFound()
	case found && !readable:
		return storedReport{}, notComplete(status)
	}
	return reportByTransaction(ctx, db, caller.TenantID, id)
}

// ReportInquiry is `GET /data/v1/{dp_id}/{report_id}` (service.md, endpoint 9).
func ReportInquiry(db storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		dataPackage, err := packageFor(r.Context(), db, caller.TenantID, r.PathValue("dp_id"), CompanyKind)
		if err != nil {
			return err
		}
		id := r.PathValue("report_id")
		report, err := reportByID(r.Context(), db, caller.TenantID, id)
		if err != nil {
			return err
		}
		if id != report.CReportID {
			return reportNotFound()
		}
		call.From(r.Context()).TxID = report.TxID
		inquiryID, err := auth.NewID(r.Context(), db, auth.InquiryID, caller.Tenant())
		if err != nil {
			return err
		}
		company, room, err := report.company(r.Context(), db, budget, caller.TenantID)
		if err != nil {
			return err
		}
		defer room.Release()
		head := NewCompanyHead(caller, inquiryID.String(), company.Seed, ReportIDs{report.CReportID, report.LReportID}, caller.Time())
		return api.Write(w, http.StatusOK, CompanyV1(head, dataPackage, company))
	}
}
