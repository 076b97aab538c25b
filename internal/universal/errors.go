package universal

import (
	"net/http"

	"understudy.example/internal/api"
)

func filenameRequired() *api.Error {
	return api.Refuse(http.StatusBadRequest, "filename is required")
}

func transactionNotFound() *api.Error {
	return api.Refuse(http.StatusNotFound, "Transaction not found")
}

func notUploaded() *api.Error {
	return api.Refuse(http.StatusConflict, "File has not been uploaded")
}

func uploadForbidden() *api.Error { return api.Refuse(http.StatusForbidden, "Forbidden") }

func uploadExpired() *api.Error { return api.Refuse(http.StatusForbidden, "Request has expired") }

func uploadClosed() *api.Error { return api.Refuse(http.StatusConflict, "Upload is closed") }

func fileRequired() *api.Error { return api.Refuse(http.StatusBadRequest, "file is required") }

func notMultipart() *api.Error {
	return api.Refuse(http.StatusUnsupportedMediaType, "Unsupported Media Type")
}

func tooLong() *api.Error {
	return api.Refuse(http.StatusRequestEntityTooLarge, "Request Too Long")
}
