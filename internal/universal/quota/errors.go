package quota

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
)

// exceeded is the response to a call that would exceed a quota of the tenant. It has
// no Retry-After, because waiting does not help.
func exceeded(hint string, arguments ...any) *api.Error {
	return api.NewError(http.StatusTooManyRequests, "Too Many Requests", fmt.Sprintf(hint, arguments...))
}

func tooManySubmissions(quota int64) *api.Error {
	return exceeded("the tenant's quota is %d submissions, and it has as many: delete some, or raise the setting max_submissions", quota)
}

func uploadTooLarge(quota int64) *api.Error {
	return exceeded("the tenant's quota for an upload is %d bytes: send a smaller file, or raise the setting max_upload_bytes", quota)
}

func tooMuchStored(quota int64) *api.Error {
	return exceeded("the tenant's quota is %d stored bytes, and the file would exceed it: delete submissions, or raise the setting max_stored_bytes", quota)
}

// tooMuchUploading is the response to a file that would fit if no other upload were in
// progress.
func tooMuchUploading(quota int64) *api.Error {
	return exceeded("the tenant's quota is %d stored bytes, and the file and other uploads in progress would exceed it: upload one at a time, or raise the setting max_stored_bytes", quota)
}
