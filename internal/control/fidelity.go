package control

import (
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/fidelity"
)

// Fidelity is `GET /fidelity`: how sure each answer of the API is.
func Fidelity() api.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		return api.Write(w, http.StatusOK, fidelity.All)
	}
}

// fidelity is how sure the call's answer is; empty where a fault acted, since
// the answer is nobody's then.
func (c call) fidelity() string {
	if len(c.Faults) > 0 {
		return ""
	}
	return string(fidelity.Of(fidelity.Call{
		Method: c.Method, Path: c.Path, Status: c.Status, Asked: string(c.RequestBody), Said: string(c.ResponseBody),
	}))
}
