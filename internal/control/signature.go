package control

import (
	"encoding/base64"
	"net/http"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// CheckSignature is `POST /tenants/{t}/signature`: it reports whether a header is the
// X-Signature of a body, and the cause if it is not. format is that of deliveries.
func CheckSignature(db storage.DB, format hooks.Signature) api.Handler {
	type response struct {
		Valid    bool   `json:"valid"`
		Expected string `json:"expected"`
		Cause    string `json:"cause"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := auth.TenantInPath(r, db); err != nil {
			return err
		}
		body, err := api.ReadFields(r, "body", "body_base64", "header", "secret")
		if err != nil {
			return err
		}
		_, isText := body["body"]
		_, isBase64 := body["body_base64"]
		text, okText := body.Text("body")
		encoded, okBase64 := body.Text("body_base64")
		if isText == isBase64 || isText != okText || isBase64 != okBase64 {
			return api.BadRequest("body: want either body or body_base64, a string")
		}
		signed := []byte(text)
		if isBase64 {
			if signed, err = base64.StdEncoding.DecodeString(encoded); err != nil {
				return api.BadRequest("body_base64: want base64")
			}
		}
		header, ok := body.Text("header")
		if !ok {
			return api.BadRequest("header: want a string, the value of X-Signature")
		}
		secret, ok := body.Text("secret")
		if !ok || secret == "" {
			return api.BadRequest("secret: want a string that is not empty")
		}
		// More than 20 copies of the body and the secret are made.
		pass, err := api.Turn(r.Context(), 20*(len(signed)+len(secret)))
		if err != nil {
			return err
		}
		defer pass()
		check := hooks.CheckSignature(format, secret, signed, header)
		w.Header().Set("Cache-Control", "no-store")
		return api.Write(w, http.StatusOK, response{check.Valid, check.Expected, check.Cause})
	}
}
