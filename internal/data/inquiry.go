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

// Reports reads reports, and sends them within the budget.
type Reports struct {
	DB       storage.DB
	Budget   *api.Budget
	Rendered *Renderings
	IsClean  func(part []byte) bool // reports whether a part of a JSON text contains no secret

	ofTransaction, withReportID *storage.Lookup[wanted, packageAndReport]
}

// NewReports returns Reports that reads from the database.
func NewReports(db storage.DB, budget *api.Budget, rendered *Renderings, isClean func(part []byte) bool) Reports {
	return Reports{db, budget, rendered, isClean, newLookup(db, ofTransaction), newLookup(db, withReportID)}
}

// Inquiry is `GET /data/v2/{dp_id}/{tx_id}` (service.md, endpoints 6 and 7): the
// company data for idType=transaction, the location data for idType=sov. From version
// 3 on, the kind of the package determines the data, and the id can be a report id.
func Inquiry(reports Reports, gate *auth.Gate, rt route.Route, lookUp StatusLookup) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		return reports.inquire(w, r, version(rt.Version), caller, r.PathValue("dp_id"), r.PathValue("tx_id"), r.URL.Query()["idType"], AllLocations, lookUp)
	}
}

// inquire sends the response of a version to the caller's inquiry for the id, with the
// window of its locations. idType is the values of the parameter.
func (s Reports) inquire(w http.ResponseWriter, r *http.Request, v version, caller auth.Caller, packageID, id string, idType []string, window Window, lookUp StatusLookup) error {
	ctx := r.Context()
	kind, err := v.kind(idType)
	if err != nil {
		return err
	}
	dataPackage, report, err := s.find(ctx, v, caller, packageID, kind, id, lookUp)
	if err != nil {
		return err
	}
	call.From(ctx).TxID = report.TxID
	inquiryID, err := auth.NewID(ctx, s.DB, auth.InquiryID, caller.Tenant())
	if err != nil {
		return err
	}
	head := newHeadV2(caller, inquiryID, dataPackage, report)
	if kind == "" {
		kind = dataPackage.Kind
	}
	key := newRenderingKey(caller.TenantID, report, string(v)+" "+kind, dataPackage)
	if kind == CompanyKind {
		return s.send(w, r, key, head, companyMemory*report.CompanyBytes, func(*api.Room) (*rendering, error) {
			company, err := report.company(ctx, s.DB)
			if err != nil {
				return nil, err
			}
			return render(v.companyFields(dataPackage, company, report.CreatedAt))
		})
	}
	if window != AllLocations {
		total, err := report.countLocations(ctx, s.DB)
		if err != nil {
			return err
		}
		w.Header().Set(LocationsHeader, strconv.Itoa(total))
		key.cReportID = "" // windows are not cached
	}
	return s.send(w, r, key, head, storage.BatchMemory(report.LocationsBytes), func(room *api.Room) (*rendering, error) {
		return renderArray(v.locationsFields(dataPackage, report.LReportID, report.locations(ctx, s.DB, window, room)))
	})
}

// send sends a response that consists of the head and the rendering. It calls make if
// the rendering is not cached. memory estimates the memory in bytes that make needs. All
// errors are returned before the response begins. A rendering whose key names no report
// is not cached.
func (s Reports) send(w http.ResponseWriter, r *http.Request, key renderingKey, head any, memory int64, make func(*api.Room) (*rendering, error)) error {
	begin, err := api.Encode(head)
	if err != nil {
		return err
	}
	begin[len(begin)-1] = ',' // the rendering has the closing brace
	rendered := s.Rendered.find(key)
	if rendered != nil {
		memory = rendered.memory()
	}
	// Memory is reserved before get, which waits for the caller's turn to render: a caller whose turn it is must not
	// wait for memory, because it would block all other renderings.
	room, err := s.Budget.Reserve(r.Context(), key.tenantID, memory)
	if err != nil {
		return err
	}
	defer room.Release()
	if rendered == nil {
		rendered, err = s.Rendered.get(r.Context(), key, memory, func() (*rendering, error) {
			made, err := make(room)
			if err == nil {
				made.clean = !made.compressed && s.IsClean(made.parts[0])
			}
			return made, err
		})
		if err != nil {
			return err
		}
	}
	room.Resize(rendered.memory())
	if rendered.clean {
		call.From(r.Context()).SharedEnd = rendered.parts[0]
	}
	api.WriteParts(w, r, int64(len(begin))+rendered.length, func(yield func([]byte, error) bool) {
		if yield(begin, nil) {
			rendered.texts()(yield)
		}
	})
	return nil
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
func (s Reports) Inquire(w http.ResponseWriter, r *http.Request, caller auth.Caller, asked Asked, lookUp StatusLookup) error {
	if asked.Version > 1 {
		idType := asked.IDType
		if idType == "" {
			idType = "transaction"
			dataPackage, err := packageFor(r.Context(), s.DB, caller.TenantID, asked.PackageID, "")
			if err != nil {
				return err
			}
			if dataPackage.Kind == LocationKind {
				idType = "sov"
			}
		}
		return s.inquire(w, r, version("v"+strconv.Itoa(asked.Version)), caller, asked.PackageID, asked.TxID, []string{idType}, asked.Locations, lookUp)
	}
	report, err := v2.findLate(r.Context(), s.DB, caller, asked.TxID, lookUp)
	if err != nil {
		return err
	}
	return s.inquireReport(w, r, caller, asked.PackageID, report.CReportID)
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

// find returns the package, and the report of the transaction with the id. From version 3
// on, the id can also be that of a report or of a company submit.
func (s Reports) find(ctx context.Context, v version, caller auth.Caller, packageID, kind, id string, lookUp StatusLookup) (Package, storedReport, error) {
	if v != v2 && reportID.MatchString(id) {
		dataPackage, report, err := find(ctx, s.withReportID, wanted{caller.TenantID, packageID, kind, id})
		if err == nil && report == nil {
			err = reportNotFound()
		}
		if err != nil {
			return Package{}, storedReport{}, err
		}
		return dataPackage, *report, nil
	}
	dataPackage, report, err := find(ctx, s.ofTransaction, wanted{caller.TenantID, packageID, kind, api.CanonicalID(id)})
	if err != nil {
		return Package{}, storedReport{}, err
	}
	if _, submission := api.ParseID(id); report != nil && (submission || v != v2) {
		return dataPackage, *report, nil // a submission has a report as soon as it is completed
	}
	late, err := v.findLate(ctx, s.DB, caller, id, lookUp)
	return dataPackage, late, err
}

// findLate is find for a transaction whose report may be missing: it first looks up the
// status, for the error.
func (v version) findLate(ctx context.Context, db storage.DB, caller auth.Caller, id string, lookUp StatusLookup) (storedReport, error) {
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
func ReportInquiry(reports Reports, gate *auth.Gate, rt route.Route) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		return reports.inquireReport(w, r, caller, r.PathValue("dp_id"), r.PathValue("report_id"))
	}
}

// inquireReport sends the response of version 1 to the caller's inquiry for the company
// report with the id.
func (s Reports) inquireReport(w http.ResponseWriter, r *http.Request, caller auth.Caller, packageID, id string) error {
	ctx := r.Context()
	dataPackage, report, err := find(ctx, s.withReportID, wanted{caller.TenantID, packageID, CompanyKind, id})
	switch {
	case err != nil:
		return err
	case report == nil || id != report.CReportID:
		return reportNotFound()
	}
	call.From(ctx).TxID = report.TxID
	inquiryID, err := auth.NewID(ctx, s.DB, auth.InquiryID, caller.Tenant())
	if err != nil {
		return err
	}
	key := newRenderingKey(caller.TenantID, *report, "v1", dataPackage)
	return s.send(w, r, key, newHeadV1(caller, inquiryID.String(), caller.Time()), companyMemory*report.CompanyBytes, func(*api.Room) (*rendering, error) {
		company, err := report.company(ctx, s.DB)
		if err != nil {
			return nil, err
		}
		return render(newCompanyV1(ReportIDs{report.CReportID, report.LReportID}, dataPackage, company))
	})
}
