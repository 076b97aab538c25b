package data

import (
	"context"
	"net/http"
	"regexp"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Version is a version of the inquiry for a transaction, as paths name it.
type Version string

const (
	v2 Version = "v2"
	v5 Version = "v5"
)

// Versions are those that the service has, beside version 1.
var Versions = []Version{v2, "v3", "v4", v5}

// Completed tells how a tenant's transaction stands: the status as the tenant
// sees it, and whether its data can be read; found is false for an unknown or
// foreign one.
type Completed func(ctx context.Context, db storage.DB, caller auth.Caller, txID string) (status string, complete, found bool, err error)

// Inquiry is `GET /data/v2/{dp_id}/{tx_id}` (service.md, endpoints 6 and 7):
// the company's data for idType=transaction, the locations' for idType=sov. In
// later versions the package's kind decides which, and report ids do too.
func Inquiry(db storage.DB, gate *auth.Gate, version Version, completed Completed) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Caller(r, "::data/v2:get") // no permission names the later versions
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
		report, err := version.find(ctx, db, caller, r.PathValue("tx_id"), completed)
		if err != nil {
			return err
		}
		api.CallOf(ctx).TxID = report.TxID
		head := newHeadV2(caller, dataPackage, report)
		if kind == "" {
			kind = dataPackage.Kind
		}
		if kind == CompanyKind {
			return api.Write(w, http.StatusOK, version.company(head, dataPackage, report.Company))
		}
		locations, err := locationsOf(ctx, db, report.CReportID)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, version.locations(head, dataPackage, locations))
	}
}

// kind is the kind of data asked for; "" for that of the package.
func (v Version) kind(r *http.Request) (string, error) {
	if v != v2 {
		return "", nil
	}
	kind, ok := map[string]string{"transaction": CompanyKind, "sov": LocationKind}[r.URL.Query().Get("idType")]
	if !ok {
		return "", invalidIDType()
	}
	return kind, nil
}

// reportID is the form of report ids, ours and the service's.
var reportID = regexp.MustCompile(`^[CL][A-Z]{2}[0-9A-Z]+$`)

// find returns the report of the transaction; from version 3 on, the id may be
// that of the report, or of a company submit.
func (v Version) find(ctx context.Context, db storage.DB, caller auth.Caller, id string, completed Completed) (stored, error) {
	if v != v2 && reportID.MatchString(id) {
		return reportByID(ctx, db, caller.TenantID, id)
	}
	status, complete, found, err := completed(ctx, db, caller, id)
	switch {
	case err != nil:
		return stored{}, err
	case !found && v == v2:
		return stored{}, transactionNotFound()
	case found && !complete:
		return stored{}, notComplete(status)
	}
	return reportOf(ctx, db, caller.TenantID, id)
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
		id := r.PathValue("report_id")
		report, err := reportByID(r.Context(), db, caller.TenantID, id)
		if err != nil {
			return err
		}
		if id != report.CReportID {
			return reportNotFound()
		}
		api.CallOf(r.Context()).TxID = report.TxID
		head := NewHead(caller, inquiryID(), report.Company.Seed, IDs{report.CReportID, report.LReportID}, caller.Time())
		return api.Write(w, http.StatusOK, CompanyV1(head, dataPackage, report.Company))
	}
}

// inquiryID is the tx_id of an answer: fresh for each inquiry.
func inquiryID() string { return uuid.NewString() }
