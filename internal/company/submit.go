// Package company implements company submit: it takes a company's name and address and
// creates its report within the call. It does not know how reports are made, stored or
// shown.
package company

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/data"
	"understudy.example/internal/enrich"
	"understudy.example/internal/feed"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Submit is `POST /company/v1/company_submit` (service.md, endpoint 8). wake wakes
// the background work, which delivers the event.
func Submit(db storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		seed, err := readSeed(r)
		if err != nil {
			return err
		}
		body, _, err := createReport(r, db, gate, budget, caller, seed)
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusOK, body)
	}
}

// QuickSubmit is `POST /company/v1/quick_submit?dpid=…`: a company submit and the
// inquiry for its report in one call. wake has the same purpose as for Submit.
func QuickSubmit(db storage.DB, gate *auth.Gate, budget *api.Budget, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		seed, err := readSeed(r)
		if err != nil {
			return err
		}
		ids := r.URL.Query()["dpid"]
		if len(ids) != 1 {
			return data.PackageNotNamed()
		}
		dataPackage, err := data.CompanyPackage(r.Context(), db, caller, ids[0])
		if err != nil {
			return err
		}
		head, report, err := createReport(r, db, gate, budget, caller, seed)
		if err != nil {
			return err
		}
		wake()
		return api.Write(w, http.StatusOK, data.CompanyV1(head, dataPackage, report))
	}
}

// NotImplemented responds with 501 to calls of a route about which only the name is
// known.
func NotImplemented(gate *auth.Gate, rt route.Route) api.Handler {
	return func(_ http.ResponseWriter, r *http.Request) error {
		if _, err := gate.Admit(r, rt); err != nil {
			return err
		}
		return api.NewError(http.StatusNotImplemented, "Not Implemented", "only the name of this route is known; the emulator does not implement it")
	}
}

const completedEvent = "company_submit:completed"

// entry is the data of a company submit in the feed. The client's texts are left out,
// because they can have misplaced secrets.
type entry struct {
	TxID      string `json:"tx_id"`
	CReportID string `json:"c_report_id"`
	LReportID string `json:"l_report_id"`
}

// createReport makes the company's report, adds its completion to the feed and publishes the
// event. It returns the body of the response.
func createReport(r *http.Request, db storage.DB, gate *auth.Gate, budget *api.Budget, caller auth.Caller, seed enrich.Seed) (body data.CompanyHead, report enrich.Report, err error) {
	ctx := r.Context()
	candidate, err := outcome.ForCompany(ctx, db, caller.TenantID, seed.CompanyName)
	if err != nil {
		return data.CompanyHead{}, enrich.Report{}, err
	}
	end, err := awaitEnd(ctx, gate, caller, candidate)
	if err != nil {
		return data.CompanyHead{}, enrich.Report{}, err
	}
	report = enrich.Enrich(enrich.Input{Seed: seed, Today: caller.Now})
	if candidate != nil {
		room, err := budget.Reserve(ctx, caller.TenantID, candidate.Memory())
		if err != nil {
			return data.CompanyHead{}, enrich.Report{}, err
		}
		defer room.Release()
		preset, err := outcome.Load(ctx, db, caller.TenantID, candidate.ID)
		if err != nil {
			return data.CompanyHead{}, enrich.Report{}, err
		}
		if preset != nil {
			call.From(ctx).Outcome = *preset.CompanyName // outcomes of companies match by it
		}
		if preset.HasValues() {
			report = preset.Report(seed, caller.Now)
		}
	}
	encoded, err := data.EncodeReport(report)
	if err != nil {
		return data.CompanyHead{}, enrich.Report{}, err
	}
	var txID string
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		if txID, err = newTxID(ctx, tx, caller); err != nil {
			return err
		}
		ids, err := data.SaveReport(ctx, tx, caller.Tenant(), txID, encoded, caller.Now, gate.Now())
		if err != nil {
			return err
		}
		body = data.NewCompanyHead(caller, txID, seed, ids, end)
		completed := feed.State{TenantID: caller.TenantID, At: end, Event: completedEvent, TxID: txID, Data: entry{txID, ids.Company, ids.Location}}
		if err := feed.AppendStates(ctx, tx, completed); err != nil {
			return err
		}
		return hooks.Publish(ctx, tx, gate.Now(), hooks.Event{
			Tenant: caller.Tenant(),
			Name:   completedEvent,
			At:     end,
			TxID:   txID,
			Data:   body,
		})
	})
	if err != nil {
		return data.CompanyHead{}, enrich.Report{}, err
	}
	call.From(ctx).TxID = txID
	return body, report, nil
}

// newTxID returns a tx_id that the tenant does not have. In a tenant with an id seed, an
// imported company submit can have the next one.
func newTxID(ctx context.Context, tx pgx.Tx, caller auth.Caller) (string, error) {
	for attempts := range auth.IDAttempts {
		id, err := auth.NewIDAfter(ctx, tx, auth.TransactionID, caller.Tenant(), attempts)
		if err != nil {
			return "", err
		}
		txID := caller.TenantName + "-" + id.String()
		if caller.Tenant().Settings.IDSeed == nil {
			return txID, nil
		}
		if taken, err := data.HasReport(ctx, tx, caller.TenantID, txID); err != nil || !taken {
			return txID, err
		}
	}
	return "", errors.New("company submit: no unused id found")
}

// maxSeedBytes is the maximum size of a company name and of an address.
const maxSeedBytes = 4096

// readSeed returns the company name and address in the request's body. Both are
// required.
func readSeed(r *http.Request) (enrich.Seed, error) {
	body, err := api.Read(r, api.MessageErrors)
	if err != nil {
		return enrich.Seed{}, err
	}
	name, err := readRequired(body, "company_name")
	if err != nil {
		return enrich.Seed{}, err
	}
	address, err := readRequired(body, "address")
	if err != nil {
		return enrich.Seed{}, err
	}
	return enrich.Seed{CompanyName: name, Address: address}, nil
}

// readRequired returns the text at the key. Its error is an *api.Error.
func readRequired(body api.Object, key string) (string, error) {
	text, isText := body.Text(key)
	given, ok := body[key]
	switch {
	case ok && string(given) == "null":
		return "", api.NewError(http.StatusBadRequest, key+" is required", key+" is null: send a string that is not blank")
	case !ok:
		return "", api.NewError(http.StatusBadRequest, key+" is required", "the body has no key "+key+": send a string that is not blank")
	case !isText:
		return "", api.NewError(http.StatusBadRequest, key+" must be a string", key+" is not a JSON string: send a string that is not blank")
	case strings.TrimSpace(text) == "":
		return "", api.NewError(http.StatusBadRequest, key+" is required", key+" is blank: send a string that is not blank")
	case len(text) > maxSeedBytes:
		return "", api.NewError(http.StatusBadRequest, fmt.Sprintf("%s must be at most %d bytes", key, maxSeedBytes), key+" is longer than 4,096 bytes in UTF-8: shorten it")
	}
	return text, nil
}
