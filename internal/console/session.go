package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	sessionCookie = "understudy_session"
	sessionLength = 12 * time.Hour
)

// A session is a cookie with the name of a control token, the time at which the session
// ends, and a MAC of both under that token. So it is valid on every server that knows the
// token, ends with the token, and does not contain it.

// sessionValue returns the value of the cookie of a session that ends at a time.
func sessionValue(name, token string, ends time.Time) string {
	signed := base64.RawURLEncoding.EncodeToString([]byte(name)) + "." + strconv.FormatInt(ends.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(token))
	fmt.Fprintf(mac, "console session of %s", signed)
	return signed + "." + hex.EncodeToString(mac.Sum(nil))
}

// token returns the control token of the visitor's session, and whether there is a valid
// session. Without control tokens there is none.
func (v *visit) token() (string, bool) {
	cookie, err := v.r.Cookie(sessionCookie)
	if err != nil {
		return "", false
	}
	parts := strings.Split(cookie.Value, ".")
	if len(parts) != 3 {
		return "", false
	}
	name, err := base64.RawURLEncoding.DecodeString(parts[0])
	seconds, numberErr := strconv.ParseInt(parts[1], 10, 64)
	ends := time.Unix(seconds, 0)
	if err != nil || numberErr != nil || !time.Now().Before(ends) {
		return "", false
	}
	for _, token := range v.Access.Tokens {
		if token.Name == string(name) && hmac.Equal([]byte(cookie.Value), []byte(sessionValue(token.Name, token.Value, ends))) {
			return token.Value, true
		}
	}
	return "", false
}

// showSignIn is `GET /sign-in`.
func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	if v.refusedHost() {
		return
	}
	if _, signedIn := v.token(); signedIn || !v.SignIn {
		http.Redirect(w, r, v.next(), http.StatusSeeOther)
		return
	}
	v.write(http.StatusOK, "sign-in", "sign-in-page")
}

// signIn is `POST /sign-in`: it exchanges a control token for a session.
func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	if v.refusedHost() {
		return
	}
	form, err := v.readForm(64 << 10)
	if err != nil {
		v.fail(err)
		return
	}
	given := strings.TrimSpace(form.Get("token"))
	if form.Has("next") {
		v.Query.Set("next", form.Get("next"))
	}
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		v.fail(&callError{Status: http.StatusForbidden, Message: "Sign in from this page, not from another site."})
		return
	}
	name, ok := c.Access.TokenName(given)
	if !ok {
		v.Data = "This is not a control token of this server."
		v.write(http.StatusUnauthorized, "sign-in", "sign-in-page")
		return
	}
	http.SetCookie(w, v.cookie(sessionValue(name, given, time.Now().Add(sessionLength)), int(sessionLength.Seconds())))
	http.Redirect(w, r, v.next(), http.StatusSeeOther)
}

// refusedHost shows an error and returns true if the control API refuses the host of the
// request, so that a page of another site whose name leads here cannot try tokens.
func (v *visit) refusedHost() bool {
	_, err := v.get("/")
	refused := new(callError)
	if !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		return false
	}
	v.fail(err)
	return true
}

// signOut is `POST /sign-out`.
func (c *Console) signOut(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	if err := new(http.CrossOriginProtection).Check(r); err == nil {
		http.SetCookie(w, v.cookie("", -1))
	}
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

// next returns the page that the visitor wanted before signing in.
func (v *visit) next() string {
	if next := v.Query.Get("next"); isLocal(next) {
		return next
	}
	return "/"
}

// cookie returns the cookie of a session.
func (v *visit) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: sessionCookie, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: v.Secure(v.r),
	}
}
