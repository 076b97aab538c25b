package universal

import (
	"net/http"

	"understudy.example/internal/api"
)

func filenameRequired() *api.Error {
	return api.NewError(http.StatusBadRequest, "filename is required")
}

func transactionNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Transaction not found")
}

func notUploaded() *api.Error {
	return api.NewError(http.StatusConflict, "File has not been uploaded")
}

func uploadForbidden() *api.Error { return api.NewError(http.StatusForbidden, "Forbidden") }

func uploadExpired() *api.Error { return api.NewError(http.StatusForbidden, "Request has expired") }

func uploadClosed() *api.Error { return api.NewError(http.StatusConflict, "Upload is closed") }

func fileRequired() *api.Error { return api.NewError(http.StatusBadRequest, "file is required") }

func notMultipart() *api.Error {
	return api.NewError(http.StatusUnsupportedMediaType, "Unsupported Media Type")
}

func tooLong() *api.Error {
	return api.NewError(http.StatusRequestEntityTooLarge, "Request Too Long")
}
