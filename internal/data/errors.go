package data

import (
	"net/http"

	"understudy.example/internal/api"
)

func invalidIDType() *api.Error { return api.NewError(http.StatusBadRequest, "Invalid idType") }

func packageNotFound() *api.Error { return api.NewError(http.StatusNotFound, "Data package not found") }

func transactionNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Transaction not found")
}

func reportNotFound() *api.Error { return api.NewError(http.StatusNotFound, "Report not found") }

// notComplete is the response to an inquiry for a transaction that has not ended yet
// or has failed.
func notComplete(status string) *api.Error {
	return &api.Error{
		Status: http.StatusConflict,
		Body: struct {
			Message string `json:"message"`
			Status  string `json:"status"`
		}{"Transaction is not complete", status},
	}
}
