package data

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
)

func invalidIDType() *api.Error {
	return api.NewError(http.StatusBadRequest, "Invalid idType",
		"send the query parameter idType once: transaction for company data, sov for locations")
}

func packageNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Data package not found",
		"the tenant has no data package with this id: use an id that was assigned to the tenant")
}

// PackageNotNamed is the response to a quick submit that does not name one data package.
func PackageNotNamed() *api.Error {
	return api.NewError(http.StatusNotFound, "Data package not found",
		"send the query parameter dpid once: the id of a company package")
}

// wrongPackageKind is the response to a location package where a company package is
// needed.
func wrongPackageKind() *api.Error {
	return api.NewError(http.StatusNotFound, "Data package not found",
		"this inquiry needs a company package; this one is a location package")
}

func transactionNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Transaction not found",
		"the tenant has no transaction with this id: use the tx_id of file-upload-url or company_submit")
}

func reportNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Report not found",
		"the tenant has no report with this id: use the c_report_id of a completed submission or of company_submit")
}

// notComplete is the response to an inquiry for a transaction that has not ended yet
// or has failed.
func notComplete(status string) *api.Error {
	return api.NewErrorBody(http.StatusConflict, struct {
		Message string `json:"message"`
		Status  string `json:"status"`
	}{"Transaction is not complete", status},
		"the status is "+status+": "+howToComplete(status))
}

// howToComplete returns a hint about a transaction with the status.
func howToComplete(status string) string {
	switch status {
	case "Pending":
		return "trigger the transaction with POST .../universal-submit/file/{tx_id}, if that was not done, and poll its status"
	case "Failed", "FAILED":
		return "a failed transaction has no data: GET /control/v1/tenants/{t}/transactions/{tx_id} shows why it failed"
	}
	return "poll the status until it is Completed or Succeeded"
}

func packageTaken(id string) *api.Error {
	return api.NewControlError(http.StatusConflict, fmt.Sprintf("id: data package %q already exists", id))
}

// packageNotDeletable is the response to the deletion of a default package, which a
// reset keeps.
func packageNotDeletable() *api.Error {
	return api.NewControlError(http.StatusConflict, "A data package with which the tenant was created cannot be deleted")
}
