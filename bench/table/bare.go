package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// statusRow is what the bare status handler selects and responds with.
type statusRow struct {
	TxID       string     `json:"tx_id"`
	UserID     string     `json:"user_id"`
	Status     string     `json:"status"`
	CreatedAt  time.Time  `json:"tx_start_time"`
	FinishedAt *time.Time `json:"tx_end_time"`
}

// serveBare serves the handlers that the server is compared with: a static response, one
// with a router, the check of an HS256 token and one select by primary key, and an upload
// that is hashed and written to a file.
func serveBare(databaseURL string) error {
	db, err := pgxpool.New(context.Background(), databaseURL+"&search_path=sandbox&pool_max_conns=16")
	if err != nil {
		return err
	}
	key := []byte("a key of thirty-two bytes, bare!")
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer: "bare", Subject: "client", ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour)),
	}).SignedString(key)
	if err != nil {
		return err
	}
	router := chi.NewRouter()
	static, _ := json.Marshal(statusRow{TxID: "8f0f4e3e-0000-7000-8000-000000000000", UserID: "8f0f4e3e-0000-7000-8000-000000000000", Status: "Completed"})
	router.Get("/static", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(static)
	})
	router.Get("/status/{tx_id}", func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, err := jwt.ParseWithClaims(given, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		rows, _ := db.Query(r.Context(), `
			select tx_id::text, user_id::text, status, created_at, finished_at
			from submissions
			where tx_id = $1`, r.PathValue("tx_id"))
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[statusRow])
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(row)
	})
	router.Put("/file", func(w http.ResponseWriter, r *http.Request) {
		sum, err := receive(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		io.WriteString(w, sum)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "ready", listener.Addr(), token)
	return http.Serve(listener, router)
}

// receive writes body to a temporary file, and returns its SHA-256.
func receive(body io.Reader) (sum string, err error) {
	file, err := os.CreateTemp("", "bare-")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	hash := sha256.New()
	_, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(file, hash)}, body, make([]byte, 128<<10))
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}
