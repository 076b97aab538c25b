package server_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage/storagetest"
)

// inFileName is the access token that a client uses as the name of a file.
const inFileName = "access token in a file name"

// canaries are secrets by their descriptions.
type canaries map[string]string

// The secrets that the test chooses. Their form differs from their percent-encoding.
const (
	canaryControlToken  = "canary/control+token/7f3a9c21d4e8b605"
	canaryClientSecret  = "canary/client+secret/1b6d0e94c7a25f38"
	canaryWrongSecret   = "canary/wrong+secret/93c5e7a1f80b2d46"
	canaryAPIKey        = "canary/api+key/5e20d8b7934fa61c"
	canaryWebhookSecret = "canary/webhook+secret/c84a1f6e02d97b35"
	canaryHeader        = "canary/header+value/2a7d5c90e3b8614f"
)

// TestCanaries sends secrets in every flow and in every kind of refused call, also in
// places where they do not belong. Then it searches for them in everything that the
// server writes or shows: in clear text, percent-encoded, in base64 and in hexadecimal.
func TestCanaries(t *testing.T) {
	t.Parallel()
	databaseURL, password := databaseWithPassword(t)
	masterKey := base64.StdEncoding.EncodeToString([]byte("canary-master-key-0123456789abcd"))
	dir := servertest.DataDir(t)
	p := servertest.Start(t, "DATABASE_URL="+databaseURL, "MASTER_KEY="+masterKey, "CONTROL_TOKEN="+canaryControlToken, "DATA_DIR="+dir)
	c := &canaryServer{Server: p.Server(), process: p, found: canaries{
		"control token": canaryControlToken, "client secret": canaryClientSecret, "wrong client secret": canaryWrongSecret,
		"API key": canaryAPIKey, "secret of a subscription": canaryWebhookSecret, "header of a subscription": canaryHeader,
		"master key": masterKey, "database password": password,
	}}
	others := newCollector(t)
	c.drive(t, others.URL)
	shown := c.read(t)
	shown["the log"] = p.Output.String()
	shown["deliveries to others"] = others.text()
	shown["the database"] = everyRow(t, databaseURL)
	addProcesses(t, shown, p.Cmd.Process.Pid)
	addFiles(t, shown, dir)
	for where, text := range shown {
		for name, secret := range c.found {
			if name == inFileName && (where == "the database" || where == "GET /tenants/acme/transactions") {
				continue
			}
			if form := formIn(text, secret); form != "" {
				t.Errorf("the %s is in %s, %s", name, where, form)
			}
		}
	}
}

// databaseWithPassword returns the URL of a database, with a password.
func databaseWithPassword(t *testing.T) (databaseURL, password string) {
	u, err := url.Parse(storagetest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	password, given := u.User.Password()
	if !given { // the server of the tests needs none, and ignores this one
		password = "canary-database-password-60d1b8f2"
		u.User = url.UserPassword(u.User.Username(), password)
	}
	return u.String(), password
}

// canaryServer is a server process whose calls have secrets.
type canaryServer struct {
	*servertest.Server
	process *servertest.Process
	found   canaries
	paths   []string // of the control API that show something about the calls
}

// control makes a call of the control API.
func (c *canaryServer) control(t *testing.T, line, body string, wrong ...string) servertest.Response {
	t.Helper()
	method, path, _ := strings.Cut(line, " ")
	header := map[string]string{"Authorization": "Bearer " + canaryControlToken, "Content-Type": "application/json"}
	for _, value := range wrong {
		header["Authorization"] = value
	}
	if body == "" {
		delete(header, "Content-Type")
	}
	return c.DoWith(http.DefaultClient, servertest.Call{Line: method + " " + c.process.ControlURL + route.ControlBase + path, Body: body, Header: header})
}

// drive makes the calls.
func (c *canaryServer) drive(t *testing.T, receiver string) {
	c.control(t, "POST /tenants/acme/clients", `{"client_id":"canary","client_secret":"`+canaryClientSecret+`"}`).Want(t, http.StatusCreated)
	c.control(t, "POST /tenants/acme/api-keys", `{"key":"`+canaryAPIKey+`"}`).Want(t, http.StatusCreated)
	c.found["generated API key"] = c.control(t, "POST /tenants/acme/api-keys", `{}`).Want(t, http.StatusCreated).Text(t, "key")
	made := c.control(t, "POST /tenants", `{"name":"made"}`).Want(t, http.StatusCreated)
	c.found["client secret of a new tenant"], c.found["API key of a new tenant"] = made.Text(t, "client_secret"), made.Text(t, "api_key")
	demo := auth.Demo{ClientID: "canary", ClientSecret: canaryClientSecret, APIKey: canaryAPIKey}
	token := c.NewToken(demo)
	c.found["access token"], c.found["refresh token"] = token.Text(t, "access_token"), token.Text(t, "refresh_token")
	second := c.Refresh(demo, token.Text(t, "refresh_token")).Want(t, http.StatusOK)
	c.found["second access token"], c.found["second refresh token"] = second.Text(t, "access_token"), second.Text(t, "refresh_token")
	client := servertest.Client{Server: c.Server, Token: c.found["second access token"], Key: canaryAPIKey}

	c.Login(c.Demo(1)).Subscribe(receiver)
	client.Subscribe("http://user.example.invalid/", `"header":"X-Mine: `+canaryHeader+`"`, `"secret":"`+canaryWebhookSecret+`"`)
	txID, uploadURL := client.Announce("letter.txt")
	_, c.found["data of an upload URL"], _ = strings.Cut(uploadURL, "data=")
	c.Upload(uploadURL, "letter.txt", servertest.Letter).Want(t, http.StatusOK)
	client.Trigger(txID).Want(t, http.StatusOK)
	client.AwaitEnd(txID)
	client.Do("GET /data/v2/acme-us-c0001/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	client.Do(servertest.SubmitCompany, `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	globex := c.Login(c.Demo(1))
	globex.AwaitEnd(globex.SubmitFile("b.txt", servertest.Letter))
	c.control(t, "POST /tenants/acme/probe", `{"url":"`+receiver+`","secret":"`+canaryWebhookSecret+`"}`).Want(t, http.StatusOK)
	c.found["rotated client secret"] = c.control(t, "POST /tenants/acme/clients/canary/rotate", `{"overlap":"1h"}`).Want(t, http.StatusOK).Text(t, "client_secret")
	c.misplace(t, client, txID)
	c.paths = []string{
		"/tenants", "/tenants/acme", "/tenants/acme/settings", "/tenants/acme/clock", "/tenants/acme/clients", "/tenants/acme/api-keys",
		"/tenants/acme/packages", "/tenants/acme/outcomes", "/tenants/acme/transactions", "/tenants/acme/transactions/" + txID,
		"/tenants/acme/faults", "/tenants/acme/requests?limit=1000", "/tenants/globex/requests?limit=1000", "/tenants/made/requests",
		"/requests?limit=1000", "/tenants/acme/findings", "/tenants/globex/deliveries", "/tenants/acme/await?event=call&within=1s", "/", "/openapi.json", "/fidelity",
	}
}

// misplace makes calls that contain each secret in places where it does not belong.
func (c *canaryServer) misplace(t *testing.T, client servertest.Client, txID string) {
	unchecked := func(call servertest.Call) { c.DoWith(http.DefaultClient, call) }
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	tokenCall := func(query, authorization, body string) {
		header := map[string]string{"Content-Type": form["Content-Type"]}
		if authorization != "" {
			header["Authorization"] = authorization
		}
		unchecked(servertest.Call{Line: "POST /auth/token" + query, Header: header, Body: body})
	}
	tokenCall("?grant_type=client_credentials", servertest.Basic("canary", canaryWrongSecret), "")
	tokenCall("?grant_type=client_credentials", servertest.Basic("nobody", canaryWrongSecret), "")
	tokenCall("?grant_type=client_credentials&client_id=canary&client_secret="+url.QueryEscape(canaryClientSecret), "", "")
	tokenCall("", "", "grant_type=client_credentials&client_id=canary&client_secret="+url.QueryEscape(canaryWrongSecret))
	unchecked(servertest.Call{Line: servertest.GetToken, Body: `{"client_id":"canary","client_secret":"` + canaryClientSecret + `"}`})
	for name, secret := range c.found {
		if name == "database password" || name == "master key" {
			continue // no client has these
		}
		escaped := url.QueryEscape(secret)
		unchecked(servertest.Call{Line: "GET /hooks", Token: secret})
		unchecked(servertest.Call{Line: "GET /hooks", Header: map[string]string{"Authorization": "Token " + secret}})
		unchecked(servertest.Call{Line: servertest.GetUploadURL, Token: client.Token, Key: secret, Body: `{"filename":"a.txt"}`})
		for _, parameter := range []string{"access_token", "refresh_token", "api_key", "x-api-key", "client_secret", "token", "secret", "data", "key", "apikey"} {
			unchecked(servertest.Call{Line: "GET /hooks?" + parameter + "=" + escaped, Token: client.Token})
			unchecked(servertest.Call{Line: "PUT /file-transfer/upload-file?" + parameter + "=" + escaped})
			client.DoUnchecked("GET /universal/v2/universal-submit/status/"+txID+"?"+parameter+"="+escaped, "")
			body := `{"` + parameter + `":"` + secret + `"}`
			if parameter == "data" && name != "data of an upload URL" {
				continue // in JSON, data is not a secret
			}
			client.DoUnchecked(servertest.SubmitCompany, body)
			client.DoUnchecked("POST /hooks", body)
			client.DoUnchecked("POST /nothing", body)
			c.control(t, "POST /tenants/acme/faults", body)
			c.control(t, "GET /tenants/acme/requests?"+parameter+"="+escaped, "")
		}
		client.DoUnchecked(servertest.SubmitCompany, `{"secret":"`+secret) // cut off
		for _, body := range []string{
			`{'url':'http://127.0.0.1:9/','secret':'%s'}`, `{'header':'X-Mine: %s'}`, `{"header":["X-Mine: %s"]}`, `{"header":{"X-Mine":"%s"}}`,
			`{"headers":{"X-Mine":"%s"}}`, `<x><client_secret>%s</client_secret></x>`, `{Authorization: Bearer %s}`,
		} {
			client.DoUnchecked("POST /hooks", strings.Replace(body, "%s", secret, 1))
		}
		header := map[string]string{}
		for _, name := range []string{"Api-Key", "X-Api-Token", "X-Auth-Token", "X-Client-Secret", "Access-Token"} {
			header[name] = secret
		}
		unchecked(servertest.Call{Line: "GET /hooks", Header: header})
		client.DoUnchecked("POST /hooks", `{"url":"http://u:`+escaped+`@127.0.0.1/","header":"X-Mine `+secret+`"}`)
		c.control(t, "GET /tenants", "", "Bearer "+secret+"x")
		c.control(t, "GET /tenants", "", "Basic "+secret)
	}
	for _, secret := range []string{canaryClientSecret, canaryAPIKey} { // the secrets of the client that makes the calls
		client.DoUnchecked("GET /hooks/"+url.PathEscape(secret), "")
		client.DoUnchecked("GET /universal/v2/universal-submit/status/"+url.PathEscape(secret), "")
		client.DoUnchecked("GET /nothing/"+url.PathEscape(secret), "")
	}
	// Other secrets in paths and in file names are recognised only by their form. A submission
	// keeps its file name.
	named := c.NewToken(auth.Demo{ClientID: "canary", ClientSecret: c.found["rotated client secret"]}).Text(t, "access_token")
	c.found[inFileName] = named
	client.DoUnchecked(servertest.GetUploadURL, `{"filename":"`+named+`.pdf"}`)
	contentType, body := servertest.Form(t, servertest.Part{Name: "file", Filename: named, Content: []byte("x")})
	unchecked(servertest.Call{Line: "PUT /file-transfer/upload-file?data=x", Body: body, Header: map[string]string{"Content-Type": contentType}})
	for _, name := range []string{"access token", "second access token"} {
		client.DoUnchecked("GET /hooks/"+c.found[name], "")
		client.DoUnchecked("GET /nothing/"+c.found[name], "")
		client.DoUnchecked("GET /universal/v2/universal-submit/status/"+c.found[name], "")
		c.control(t, "GET /tenants/"+c.found[name], "")
		client.DoUnchecked("POST /hooks", `{"url":"`+c.found[name]+`"}`)
	}
}

// read returns the responses of the control API and the pages, by their paths.
func (c *canaryServer) read(t *testing.T) map[string]string {
	shown := map[string]string{}
	for _, path := range c.paths {
		shown["GET "+path] = c.control(t, "GET "+path, "").Want(t, http.StatusOK).Body
	}
	for _, path := range []string{"/docs", "/openapi.yaml", "/readyz"} {
		shown["GET "+path] = c.Do(servertest.Call{Line: "GET " + path}).Body
	}
	return shown
}

// collector is a receiver that keeps what it receives.
type collector struct {
	*httptest.Server
	mu  sync.Mutex
	all strings.Builder
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		r.Write(&c.all)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.String()
}
