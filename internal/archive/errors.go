package archive

import (
	"fmt"
	"net/http"

	"understudy.example/internal/api"
)

func wrongContentType() *api.Error {
	return api.NewControlError(http.StatusUnsupportedMediaType, "Content-Type must be "+ContentType)
}

func invalid(reason string) *api.Error {
	return api.BadRequest("The archive is invalid: %s", reason)
}

func damaged(err error) *api.Error {
	return api.BadRequest("The archive is damaged, or the connection broke before its end: %v", err)
}

func tooLarge(name string, most int64) *api.Error {
	return api.NewControlError(http.StatusRequestEntityTooLarge, fmt.Sprintf("%s in the archive is larger than %d KiB", api.Quote(name), most>>10))
}
