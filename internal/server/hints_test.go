package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// refusal is a call that is refused, with the start of its hint.
type refusal struct {
	call servertest.Call
	hint string
}

// TestRefusalsHaveHints checks that the hint of each refusal says what is wrong and how
// to fix it. In every test, apitest checks the form of all hints.
func TestRefusalsHaveHints(t *testing.T) {
	servertest.Proves(t,
		"Chosen, hints: every 4xx says what is wrong and how to fix it",
		"Chosen, hints: one line of ASCII, at most 200 bytes")
	s := servertest.New(t)
	for name, r := range refusals(t, s) {
		t.Run(name, func(t *testing.T) {
			response := s.Do(r.call)
			if hint := response.Header.Get("X-Understudy-Hint"); !strings.HasPrefix(hint, r.hint) {
				t.Errorf("response %d %s with the hint\n%s\nwant\n%s", response.Status, response.Body, hint, r.hint)
			}
		})
	}
}

// refusals returns refused calls by name: first those that are refused before the body
// is read, then those of each family.
func refusals(t *testing.T, s *servertest.Server) map[string]refusal {
	acme, globex := s.Acme(), s.Globex()
	companyOnly := s.Login(seed.Demos()[2])
	with := func(line, body string) servertest.Call {
		return servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: body}
	}
	header := func(line, name, value string) servertest.Call {
		return servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Header: map[string]string{name: value}}
	}
	form := func(call servertest.Call, parts ...servertest.Part) servertest.Call {
		contentType, body := servertest.Form(t, parts...)
		call.Header, call.Body = map[string]string{"Content-Type": contentType}, body
		return call
	}
	tokenForm := func(body string) servertest.Call {
		return servertest.Call{Line: servertest.GetToken, Body: body, Header: map[string]string{
			"Authorization": servertest.Basic("acme-client", "acme-secret"), "Content-Type": "application/x-www-form-urlencoded",
		}}
	}
	waiting, expiredURL := acme.Announce("a.txt")
	s.Pass(6 * time.Minute)
	_, openURL := acme.Announce("a.txt")
	const status = "GET /universal/v2/universal-submit/status/" + servertest.Absent
	all := map[string]refusal{
		"unknown path":             {servertest.Call{Line: "GET /nothing"}, `the service has no path "/nothing"`},
		"wrong method":             {servertest.Call{Line: "PUT /company/v1/company_submit"}, `this path does not accept "PUT": use POST`},
		"trailing slash":           {servertest.Call{Line: "POST /company/v1/company_submit/"}, "the path ends with a slash: remove it"},
		"POST to the upload URL":   {servertest.Call{Line: "POST " + openURL}, "POST to the upload URL: use PUT"},
		"unknown path of webhooks": {servertest.Call{Line: "GET /hooks/a/b/c"}, `the service has no path "/hooks/a/b/c"`},

		"no Authorization":          {servertest.Call{Line: status, Key: acme.Key}, "the Authorization header is missing: send Authorization: Bearer"},
		"no Authorization, hooks":   {servertest.Call{Line: "GET /hooks"}, "the Authorization header is missing"},
		"another scheme":            {servertest.Call{Line: status, Header: map[string]string{"Authorization": "Digest x"}}, "the scheme of the Authorization header is not Bearer"},
		"empty token":               {servertest.Call{Line: status, Key: acme.Key, Header: map[string]string{"Authorization": "Bearer "}}, "the Authorization header has no token after Bearer"},
		"upload with an encoding":   {servertest.Call{Line: "PUT " + openURL, Header: map[string]string{"Content-Type": "multipart/form-data; boundary=b", "Content-Encoding": "gzip"}, Body: "x"}, `the body has the Content-Encoding "gzip"`},
		"quick submit without dpid": {with("POST /company/v1/quick_submit", `{"company_name":"A","address":"B"}`), "send the query parameter dpid once"},
		"altered token":             {servertest.Call{Line: status, Token: acme.Token + "x", Key: acme.Key}, "the token is not an access token of this environment, or was altered"},
		"permission missing":        {servertest.Call{Line: status, Token: companyOnly.Token, Key: companyOnly.Key}, "the client lacks the permission ::universal/v2/universal-submit:get"},
		"no API key":                {servertest.Call{Line: status, Token: acme.Token}, "the header x-api-key is missing"},
		"unknown API key":           {servertest.Call{Line: status, Token: acme.Token, Key: "nobody's"}, "the x-api-key does not belong to the tenant of the access token"},
		"foreign API key":           {servertest.Call{Line: status, Token: acme.Token, Key: globex.Key}, "the x-api-key does not belong to the tenant of the access token"},

		"grant_type missing":   {header("POST /auth/token", "Authorization", servertest.Basic("acme-client", "acme-secret")), "grant_type is missing: add grant_type=client_credentials"},
		"two grant types":      {header(servertest.GetToken+"&grant_type=refresh_token", "Authorization", servertest.Basic("acme-client", "acme-secret")), "grant_type is given twice with different values: send one"},
		"another client's id":  {tokenForm("client_id=globex-client"), "client_id in the form differs from that of Basic authentication"},
		"credentials twice":    {tokenForm("client_secret=acme-secret"), "Credentials must be given in one way only"},
		"token body in JSON":   {servertest.Call{Line: "POST /auth/token", Body: `{"grant_type":"client_credentials"}`}, `the Content-Type of the body is "application/json": send a form`},
		"another grant":        {header("POST /auth/token?grant_type=password", "Authorization", servertest.Basic("acme-client", "acme-secret")), `grant_type is "password": use client_credentials or refresh_token`},
		"GET a token":          {servertest.Call{Line: "GET /auth/token"}, `the method is "GET": use POST`},
		"secret in the query":  {servertest.Call{Line: "POST /auth/token?client_secret=acme-secret"}, "client_secret must not be in the query"},
		"wrong secret":         {header(servertest.GetToken, "Authorization", servertest.Basic("acme-client", "x")), "send a known client id and its secret"},
		"unknown client":       {header(servertest.GetToken, "Authorization", servertest.Basic("x", "x")), "send a known client id and its secret"},
		"bad refresh token":    {header("POST /auth/token?grant_type=refresh_token&refresh_token=x", "Authorization", servertest.Basic("acme-client", "acme-secret")), "the refresh token is unknown"},
		"no refresh token":     {header("POST /auth/token?grant_type=refresh_token", "Authorization", servertest.Basic("acme-client", "acme-secret")), "refresh_token must be given once"},
		"malformed token form": {servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, Body: "a=%zz"}, "The form is malformed"},

		"empty JSON body":        {with(servertest.GetUploadURL, ""), "the body is empty: send a JSON object"},
		"broken JSON":            {with(servertest.GetUploadURL, `{"filename":`), "the body is not valid JSON"},
		"a JSON list":            {with(servertest.GetUploadURL, `["a.txt"]`), "the body is not a JSON object"},
		"UTF-16":                 {with(servertest.GetUploadURL, "\xff\xfe{\x00}\x00"), "the body is in UTF-16: send it in UTF-8"},
		"byte order mark":        {with(servertest.GetUploadURL, "\xef\xbb\xbf{}"), "the body begins with a byte order mark"},
		"Latin 1":                {with(servertest.GetUploadURL, "{\"filename\":\"\xe9.txt\"}"), "the body is not valid UTF-8"},
		"NUL":                    {with(servertest.GetUploadURL, `{"filename":"\u0000"}`), `a string has \u0000`},
		"too long":               {with(servertest.GetUploadURL, `{"filename":"`+strings.Repeat("a", 1<<20)+`"}`), "the JSON body is larger than 1 MiB"},
		"filename missing":       {with(servertest.GetUploadURL, `{"file_name":"a.txt"}`), `the body has no key "filename"`},
		"filename blank":         {with(servertest.GetUploadURL, `{"filename":" "}`), "the filename is blank"},
		"filename a number":      {with(servertest.GetUploadURL, `{"filename":1}`), "filename is not a JSON string"},
		"filename too long":      {with(servertest.GetUploadURL, `{"filename":"`+strings.Repeat("a", 256)+`"}`), "filename is longer than 255 bytes"},
		"unknown transaction":    {with(status, ""), "the tenant has no transaction with this tx_id"},
		"trigger without upload": {with("POST /universal/v2/universal-submit/file/"+waiting, ""), "no complete upload has arrived"},

		"upload URL altered":    {servertest.Call{Line: "PUT " + openURL + "x"}, "the query parameter data was altered"},
		"upload URL cut":        {servertest.Call{Line: "PUT /file-transfer/upload-file"}, "the query parameter data is missing"},
		"upload URL expired":    {form(servertest.Call{Line: "PUT " + expiredURL}, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("x")}), "an upload URL is valid for 5 minutes"},
		"upload not multipart":  {servertest.Call{Line: "PUT " + openURL, Header: map[string]string{"Content-Type": "text/plain"}, Body: "x"}, `the Content-Type is "text/plain": send multipart/form-data`},
		"part named File":       {form(servertest.Call{Line: "PUT " + openURL}, servertest.Part{Name: "File", Filename: "a.txt", Content: []byte("x")}), `the multipart part is named "File": name it "file"`},
		"two files":             {form(servertest.Call{Line: "PUT " + openURL}, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("x")}, servertest.Part{Name: "file", Filename: "b.txt", Content: []byte("y")}), `there are several parts named "file"`},
		"empty file":            {form(servertest.Call{Line: "PUT " + openURL}, servertest.Part{Name: "file", Filename: "a.txt", Content: []byte("")}), `the part "file" is empty`},
		"direct, not multipart": {with("POST /universal/v3/universal-submit/file", `{}`), `the Content-Type is "application/json": send multipart/form-data`},

		"company name missing":         {with(servertest.SubmitCompany, `{}`), "the body has no key company_name"},
		"company name too long":        {with(servertest.SubmitCompany, `{"company_name":"`+strings.Repeat("a", 4097)+`"}`), "company_name is longer than 4,096 bytes"},
		"address not a string":         {with(servertest.SubmitCompany, `{"company_name":"A","address":1}`), "address is not a JSON string"},
		"a form as JSON":               {with(servertest.GetUploadURL, "filename=a.txt"), "the body is a form: send a JSON object"},
		"filename null":                {with(servertest.GetUploadURL, `{"filename":null}`), "filename is null"},
		"upload with another boundary": {servertest.Call{Line: "PUT " + openURL, Header: map[string]string{"Content-Type": "multipart/form-data; boundary=b"}, Body: "--c\r\n\r\nx\r\n--c--"}, "the body is empty, or does not contain the boundary"},
		"empty upload":                 {servertest.Call{Line: "PUT " + openURL, Header: map[string]string{"Content-Type": "multipart/form-data; boundary=b"}}, "the body is empty, or does not contain the boundary"},
		"upload without a type":        {servertest.Call{Line: "PUT " + openURL}, "the header Content-Type is missing"},
		"another version":              {servertest.Call{Line: "POST /universal/v2/universal-submit/file"}, "this path exists in other versions only: v3, v4"},
		"a version too high":           {servertest.Call{Line: "GET /data/v6/acme-us-c0001/x"}, "this path exists in other versions only: v1, v2, v3, v4, v5"},
		"POST to a page":               {servertest.Call{Line: "POST /livez"}, `this path does not accept "POST": use GET`},
		"idType missing":               {with("GET /data/v2/acme-us-c0001/"+servertest.Absent, ""), "send the query parameter idType once"},
		"unknown package":              {with("GET /data/v2/x-us-c0001/"+servertest.Absent+"?idType=transaction", ""), "the tenant has no data package with this id"},
		"unknown transaction data":     {with("GET /data/v2/acme-us-c0001/"+servertest.Absent+"?idType=transaction", ""), "the tenant has no transaction with this id"},
		"not complete":                 {with("GET /data/v2/acme-us-c0001/"+waiting+"?idType=transaction", ""), "the status is Pending: trigger the transaction"},
		"unknown report":               {with("GET /data/v1/acme-us-c0001/CUS1187A2AAE214E4540", ""), "the tenant has no report with this id"},

		"unknown subscription": {with("GET /hooks/"+servertest.Absent, ""), "the tenant has no subscription"},
		"hook with a config":   {with("POST /hooks", `{"config":{"url":"https://example.com"}}`), "url: send url, header and secret as keys of the body itself"},
		"hook without a URL":   {with("POST /hooks", `{}`), "url: send an absolute http or https URL"},
	}
	encoded := with(servertest.GetUploadURL, `{"filename":"a.txt"}`)
	encoded.Header = map[string]string{"Content-Encoding": "gzip"}
	all["body with a Content-Encoding"] = refusal{encoded, `the body has the Content-Encoding "gzip": send it without one`}
	return all
}

// TestHintsOff checks that --hints off removes the hints, and that the journal still
// shows the reasons.
func TestHintsOff(t *testing.T) {
	servertest.Proves(t,
		"Chosen, hints: none with --hints off",
		"Chosen, hints: the journal has a reason, which may say more")
	s := servertest.New(t, func(o *servertest.Options) { o.Hints = false })
	acme := s.Acme()
	s.Client = http.DefaultClient // apitest requires hints
	refused := acme.Do("GET /data/v2/acme-us-c0001/"+servertest.Absent, "").Want(t, http.StatusBadRequest)
	if hint, ok := refused.Header["X-Understudy-Hint"]; ok {
		t.Errorf("hint %q", hint)
	}
	if reason := s.Tenant("acme").Journal("status=400")[0].Reason; !strings.HasPrefix(reason, "send the query parameter idType once") {
		t.Errorf("reason %q in the journal", reason)
	}
}

// TestHintsQuoteTheClientsText checks that hints show text of the client in quotes and
// cut off, and no secret.
func TestHintsQuoteTheClientsText(t *testing.T) {
	servertest.Proves(t, "Chosen, hints: no secret, and the client's text only in quotes and cut off")
	s := servertest.New(t)
	acme := s.Acme()
	long := strings.Repeat("a", 300)
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for name, call := range map[string]servertest.Call{
		"path":          {Line: "GET /" + long},
		"method":        {Line: long[:40] + " /hooks"},
		"content type":  {Line: "POST /universal/v3/universal-submit/file", Token: acme.Token, Key: acme.Key, Header: map[string]string{"Content-Type": "text/" + long}, Body: "x"},
		"encoding":      {Line: servertest.GetUploadURL, Token: acme.Token, Key: acme.Key, Header: map[string]string{"Content-Encoding": long}, Body: "{}"},
		"grant":         {Line: "POST /auth/token?grant_type=" + long, Header: map[string]string{"Authorization": servertest.Basic("acme-client", "acme-secret")}},
		"client secret": {Line: servertest.GetToken, Header: form, Body: "client_id=acme-client&client_secret=hush-hush"},
		"secret in URL": {Line: servertest.GetToken + "&client_secret=hush-hush"},
		"refresh token": {Line: "POST /auth/token?grant_type=refresh_token&refresh_token=hush-hush", Header: map[string]string{"Authorization": servertest.Basic("acme-client", "acme-secret")}},
		"access token":  {Line: "GET /hooks", Token: "hush-hush"},
		"API key":       {Line: servertest.GetUploadURL, Token: acme.Token, Key: "hush-hush", Body: "{}"},
	} {
		hint := s.DoWith(http.DefaultClient, call).Header.Get("X-Understudy-Hint")
		if hint == "" || strings.Contains(hint, "hush-hush") || strings.Contains(hint, "acme-secret") || strings.Contains(hint, long[:60]) {
			t.Errorf("%s: hint %s", name, hint)
		}
		if before, _, ok := strings.Cut(hint, "aaaa"); ok && !strings.Contains(before, `"`) {
			t.Errorf("%s: hint %s, want the text in quotes", name, hint)
		}
	}
}
