package universal

import (
	"errors"
	"fmt"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

func filenameRequired(hint string) *api.Error {
	return api.NewError(http.StatusBadRequest, "filename is required", hint)
}

func filenameNotString() *api.Error {
	return api.NewError(http.StatusBadRequest, "filename must be a string", "filename is not a JSON string: send the file's name, with its extension")
}

func filenameTooLong() *api.Error {
	return api.NewError(http.StatusBadRequest, "filename must be at most 255 bytes", "filename is longer than 255 bytes in UTF-8: shorten it")
}

func transactionNotFound() *api.Error {
	return api.NewError(http.StatusNotFound, "Transaction not found",
		"the tenant has no transaction with this tx_id: use the tx_id of the file-upload-url response")
}

func notUploaded() *api.Error {
	return api.NewError(http.StatusConflict, "File has not been uploaded",
		"no complete upload has arrived: PUT the file to the upload_url first, and wait for its 200")
}

func uploadForbidden(hint string) *api.Error {
	return api.NewError(http.StatusForbidden, "Forbidden", hint)
}

func uploadGone() *api.Error {
	return uploadForbidden("the transaction of this upload URL no longer exists")
}

func uploadExpired() *api.Error {
	return api.NewError(http.StatusForbidden, "Request has expired",
		"an upload URL is valid for 5 minutes: request another from file-upload-url")
}

func uploadClosed() *api.Error {
	return api.NewError(http.StatusConflict, "Upload is closed",
		"the transaction was already triggered: request another upload URL for another file")
}

func objectsUnavailable(err error) *api.Error {
	state := "failing"
	if store := new(storage.StoreError); errors.As(err, &store) {
		state = store.State
	}
	return api.NewError(http.StatusServiceUnavailable, "Service Unavailable",
		"the object store of the server is "+state+", and the file was not stored: retry").WithHeader("Retry-After", "1")
}

// uploadsBusy is the response to an upload beyond a limit on uploads in progress.
func uploadsBusy(hint string, arguments ...any) *api.Error {
	return api.NewError(http.StatusServiceUnavailable, "Service Unavailable", fmt.Sprintf(hint, arguments...)).WithHeader("Retry-After", "1")
}
