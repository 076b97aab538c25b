package control_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/server/servertest"
)

// TestSignatureChecker checks that the right signature is valid, and that the usual
// mistakes are named. Nothing is stored.
func TestSignatureChecker(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, subscriptions: a signature is checked, and the cause is named")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	const secret, body = "s3cret", `{"b":"ü","a":1.50}`
	sign := func(digest func() hash.Hash, secret, body string) string {
		mac := hmac.New(digest, []byte(secret))
		mac.Write([]byte(body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	right := sign(sha256.New, secret, body)
	raw, _ := hex.DecodeString(right)
	plain := sha256.Sum256([]byte(body))
	for name, test := range map[string]struct {
		header string
		cause  string // "" = valid
	}{
		"right":        {"sha256=" + right, ""},
		"empty":        {" ", "The header is empty."},
		"no prefix":    {right, "The prefix sha256= is missing."},
		"wrong prefix": {"hmac=" + right, `The prefix is "hmac=" in place of sha256=`},
		"upper case":   {"sha256=" + strings.ToUpper(right), "upper case"},
		"header name":  {"X-Signature: sha256=" + right, "contains the name of the header"},
		"base64":       {"sha256=" + base64.StdEncoding.EncodeToString(raw), "base64"},
		"bare base64":  {base64.StdEncoding.EncodeToString(raw), "base64"},
		"sha1":         {"sha1=" + sign(sha1.New, secret, body), "HMAC of SHA-1"},
		"no HMAC":      {"sha256=" + hex.EncodeToString(plain[:]), "without the secret"},
		"newline":      {"sha256=" + sign(sha256.New, secret, body+"\n"), "with a newline at its end"},
		"secret":       {"sha256=" + sign(sha256.New, secret+"\n", body), "A newline was added to the secret"},
		"swapped":      {"sha256=" + sign(sha256.New, body, secret), "swapped"},
		"reserialised": {"sha256=" + sign(sha256.New, secret, `{"b": "\u00fc", "a": 1.50}`), "Python's json.dumps"},
		"sorted":       {"sha256=" + sign(sha256.New, secret, `{"a":1.50,"b":"ü"}`), "sorted keys"},
		"cut off":      {"sha256=" + right[:32], "cut off"},
		"other secret": {"sha256=" + sign(sha256.New, "another", body), "No usual mistake explains"},
		"no digest":    {"sha256=zz", "neither hexadecimal"},
		"two mistakes": {strings.ToUpper(sign(sha256.New, secret, body+"\n")), "upper case"},
	} {
		t.Run(name, func(t *testing.T) {
			in, _ := json.Marshal(map[string]string{"body": body, "header": test.header, "secret": secret})
			var got servertest.Response
			s.Unchanged(t, func() { got = tenant.Control("POST /signature", string(in)).Want(t, http.StatusOK) })
			if valid := got.Get(t, "valid"); valid != (test.cause == "") || got.Text(t, "expected") != "sha256="+right {
				t.Errorf("response %s", got.Body)
			}
			if cause := got.Text(t, "cause"); !strings.Contains(cause, test.cause) || (cause == "") != (test.cause == "") {
				t.Errorf("cause %q, want %q", cause, test.cause)
			}
		})
	}
	binary, _ := json.Marshal(map[string]string{
		"body_base64": base64.StdEncoding.EncodeToString([]byte{0xff, 0}), "header": "sha256=" + sign(sha256.New, secret, "\xff\x00"), "secret": secret,
	})
	if got := tenant.Control("POST /signature", string(binary)).Want(t, http.StatusOK); got.Get(t, "valid") != true {
		t.Errorf("bytes: %s", got.Body)
	}
	for body, message := range map[string]string{
		`{"header":"x","secret":"s"}`:                           "body: ",
		`{"body":"","body_base64":"","header":"","secret":"s"}`: "body: ",
		`{"body_base64":"?","header":"x","secret":"s"}`:         "body_base64: ",
		`{"body":"","secret":"s"}`:                              "header: ",
		`{"body":"","header":"x","secret":""}`:                  "secret: ",
	} {
		if got := tenant.Control("POST /signature", body).Want(t, http.StatusBadRequest); !strings.HasPrefix(got.Text(t, "message"), message) {
			t.Errorf("%s: %s, want %s", body, got.Body, message)
		}
	}
}

// TestSignaturesAreCheckedInTurns checks that the signature of a body of which many copies
// are made is checked in the turn of its tenant.
func TestSignaturesAreCheckedInTurns(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	in := fmt.Sprintf(`{"body":%q,"header":"sha256=00","secret":"s"}`, strings.Repeat("a", 1000))
	pass, err := api.Turn(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: time.Second}
	if response, err := client.Post(s.ControlURL+"/tenants/"+tenant.Name+"/signature", "application/json", strings.NewReader(in)); err == nil {
		response.Body.Close()
		t.Errorf("status %d during another turn", response.StatusCode)
	}
	pass()
	tenant.Control("POST /signature", in).Want(t, http.StatusOK)
}
