package universal

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// maxDirect is the largest file that can be submitted directly, in bytes: files
// of 10 MB or more take the way over an upload address (service.md, "Limits").
const maxDirect = 10<<20 - 1

// Submit is `POST …/universal-submit/file`: a file under 10 MB and its trigger
// in one call. The submission is there only once its file is whole.
func Submit(db storage.DB, objects storage.Objects, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		ctx := context.WithoutCancel(r.Context()) // a client that leaves shows in its body
		body, err := newFileReader(w, r, maxDirect)
		if err != nil {
			return err
		}
		target, err := newSubmission(caller, body.part.FileName())
		if err != nil {
			return err
		}
		file, err := receive(ctx, objects, body, caller.TenantName, target)
		if err != nil {
			return err
		}
		caller.Now = caller.Time() // the file took its time
		pointed := false           // a commit that fails may have been made
		err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			if err := announce(ctx, tx, target); err != nil {
				return err
			}
			if _, err := attach(ctx, tx, target, file, caller.Now); err != nil {
				return err
			}
			target.SHA256 = file.sha256
			err := start(ctx, tx, gate.Now(), caller, target)
			pointed = err == nil
			return err
		})
		if err != nil {
			if !pointed {
				discard(ctx, objects, file.key)
			}
			return fmt.Errorf("submit file: %w", err)
		}
		wake()
		call.From(ctx).TxID = target.TxID.String()
		return api.Write(w, http.StatusOK, newTriggerBody(target, caller.TenantName, caller.Now))
	}
}
