package data

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"

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
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		return inquire(w, r, db, budget, version(rt.Version), caller, r.PathValue("dp_id"), r.PathValue("tx_id"), r.URL.Query()["idType"], AllLocations, lookUp)
	}
}

// inquire sends the response of a version to the caller's inquiry for the id, with the
// window of its locations. idType is the values of the parameter.
func inquire(w http.ResponseWriter, r *http.Request, db storage.DB, budget *api.Budget, v version, caller auth.Caller, packageID, id string, idType []string, window Window, lookUp StatusLookup) error {
	ctx := r.Context()
	kind, err := v.kind(idType)
	if err != nil {
		return err
	}
	dataPackage, err := packageFor(ctx, db, caller.TenantID, packageID, kind)
	if err != nil {
		return err
	}
	report, err := v.find(ctx, db, caller, id, lookUp)
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
		return api.Write(w, http.StatusOK, v.companyBody(head, dataPackage, company, report.CreatedAt))
	}
	room, err := budget.Reserve(ctx, caller.TenantID, storage.BatchMemory(report.LocationsBytes))
	if err != nil {
		return err
	}
	defer room.Release()
	if window != AllLocations {
		total, err := report.countLocations(ctx, db)
		if err != nil {
			return err
		}
		w.Header().Set(LocationsHeader, strconv.Itoa(total))
	}
	body, elements := v.locationsBody(head, dataPackage, report.locations(ctx, db, window, room))
	return api.WriteArray(w, r, http.StatusOK, body, "data", elements)
}

// Asked names the data of a transaction that an inquiry without a token asks for.
type Asked struct {
	Version   int // of the inquiry, from 1 to 5
	PackageID string
	TxID      string
	IDType    string // of version 2; "" = the one that the kind of the package needs
	Locations Window // of the elements of location data
}

// Inquire sends the response that the inquiry of the version sends to the caller. Version
// 1, whose inquiry names a report, sends the transaction's company report.
func Inquire(w http.ResponseWriter, r *http.Request, db storage.DB, budget *api.Budget, caller auth.Caller, asked Asked, lookUp StatusLookup) error {
	if asked.Version > 1 {
		idType := asked.IDType
		if idType == "" {
			idType = "transaction"
			dataPackage, err := packageFor(r.Context(), db, caller.TenantID, asked.PackageID, "")
			if err != nil {
				return err
			}
			if dataPackage.Kind == LocationKind {
				idType = "sov"
			}
		}
		return inquire(w, r, db, budget, version("v"+strconv.Itoa(asked.Version)), caller, asked.PackageID, asked.TxID, []string{idType}, asked.Locations, lookUp)
	}
	report, err := v2.find(r.Context(), db, caller, asked.TxID, lookUp)
	if err != nil {
		return err
	}
	return inquireReport(w, r, db, budget, caller, asked.PackageID, report.CReportID)
}

// kind returns the kind of data that the parameter idType names; "" means the kind of the
// package.
func (v version) kind(idType []string) (string, error) {
	if v != v2 {
		return "", nil
	}
	switch {
	case slices.Equal(idType, []string{"transaction"}):
		return CompanyKind, nil
	case slices.Equal(idType, []string{"sov"}):
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
		return inquireReport(w, r, db, budget, caller, r.PathValue("dp_id"), r.PathValue("report_id"))
	}
}

// inquireReport sends the response of version 1 to the caller's inquiry for the company
// report with the id.
func inquireReport(w http.ResponseWriter, r *http.Request, db storage.DB, budget *api.Budget, caller auth.Caller, packageID, id string) error {
	ctx := r.Context()
	dataPackage, err := packageFor(ctx, db, caller.TenantID, packageID, CompanyKind)
	if err != nil {
		return err
	}
	report, err := reportByID(ctx, db, caller.TenantID, id)
	if err != nil {
		return err
	}
	if id != report.CReportID {
		return reportNotFound()
	}
	call.From(ctx).TxID = report.TxID
	inquiryID, err := auth.NewID(ctx, db, auth.InquiryID, caller.Tenant())
	if err != nil {
		return err
	}
	company, room, err := report.company(ctx, db, budget, caller.TenantID)
	if err != nil {
		return err
	}
	defer room.Release()
	head := NewCompanyHead(caller, inquiryID.String(), company.Seed, ReportIDs{report.CReportID, report.LReportID}, caller.Time())
	return api.Write(w, http.StatusOK, CompanyV1(head, dataPackage, company))
}
