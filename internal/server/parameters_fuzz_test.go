package server_test

import (
	"context"
	"flag"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/control"
	"understudy.example/internal/hooks"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// texts are sent as the value of every parameter. Most are hard to parse, to store or
// to compare.
var texts = []string{
	"", "a", "*", "\x00", "\xff", "a\x00b", "a\xffb", "\xed\xa0\x80", "\u2028\U0001F600", "'\"`\\;--", "%00%ff", "a/../b", "{}", "null",
	"-1", "0", "1e400", "99999999999999999999", "2147483648", "9223372036854775807",
	"0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "87600h", "-1ns",
	"http://[::1", "X-A: \x7f", servertest.Absent, "0-9223372036854775807", "acme-client", strings.Repeat("long ", 400),
}

// FuzzParameters sends texts as the value of each parameter of each operation of both
// OpenAPI documents: in paths, queries, headers, JSON and forms. No response may be a
// 5xx, except for 501 where that is documented. Each response must conform to its
// document, and each 4xx must have a hint.
func FuzzParameters(f *testing.F) {
	servertest.Slow(f)
	s, parameters := newFuzzed(f)
	fuzzing := flag.Lookup("test.fuzz").Value.String() != ""
	for i := range parameters {
		for j, text := range texts {
			few := (i+j)%len(texts) < 3 // enough for parameters that all operations share
			if fuzzing {
				few = i%50 == j // the fuzzer needs seconds for each hundred seeds, and varies parameter and text itself
			}
			if few || parameters[i].Documented && !fuzzing {
				f.Add(uint16(i), text, j%2 == 0)
			}
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, text string, number bool) {
		s.send(t, parameters[int(i)%len(parameters)], text, number)
	})
}

// harmless are values of parameters, by operation, with which an operation does not
// delete objects that other calls need.
var harmless = map[string]map[string]string{
	"deleteTenant": {"t": "gone"}, "resetTenant": {"t": "empty"}, "revokeClient": {"client_id": "gone"},
	"deleteTransaction": {"tx_id": servertest.Absent}, "deleteHook": {"hook_id": servertest.Absent},
}

// fuzzedParameter is a parameter of one of the two documents.
type fuzzedParameter struct {
	apitest.Parameter
	control bool
}

// fuzzed is a server whose parameters are fuzzed.
type fuzzed struct {
	*servertest.Server
	contracts map[bool]*apitest.Contract // the key reports whether it is the contract of the control API
	client    servertest.Client
	values    map[bool]map[string]string // of parameters of the path, the query and forms, with the same keys
}

// newFuzzed starts a server. The API is called as tenant acme, and the control API is
// called for another tenant, so that no fault, clock or limit acts on the calls.
func newFuzzed(f *testing.F) (*fuzzed, []fuzzedParameter) {
	s := &fuzzed{Server: servertest.Open(f, func(o *servertest.Options) {
		o.Sender = hooks.NewSender(hooks.Network{AllowPrivate: true, ConnectTimeout: 100 * time.Millisecond, ResponseTimeout: 100 * time.Millisecond}, hooks.Signature{})
	})}
	s.contracts = map[bool]*apitest.Contract{false: apitest.New(f, openapi.Document), true: apitest.New(f, control.Document)}
	s.client = s.Acme()
	own := createObjects(f, s.client, "acme")
	subject := s.NewNamedTenant("subject", `{}`)
	theirs := createObjects(f, subject.Client, "subject")
	subject.Do("DELETE /hooks/"+theirs.hook, "") // otherwise a move of the clock waits for its deliveries, which nothing sends here
	s.NewNamedTenant("empty", `{}`)
	_, uploadURL := s.client.Announce("a.txt")
	_, data, _ := strings.Cut(uploadURL, "data=")
	s.values = map[bool]map[string]string{
		false: {
			"tx_id": own.submission, "dp_id": own.companyPackage, "report_id": own.companyReport, "report": own.companyReport,
			"hook_id": own.hook, "request_id": own.request, "idType": "transaction", "dpid": own.companyPackage, "data": data,
			"grant_type": "client_credentials", "client_id": "acme-client", "client_secret": "acme-secret", "file": string(servertest.Letter),
		},
		true: {
			"t": "subject", "client_id": subject.Credentials.ClientID, "tx_id": theirs.submission, "id": servertest.Absent,
			"event": "*", "within": "1ms", "limit": "10",
		},
	}
	var parameters []fuzzedParameter
	for _, p := range apitest.Parameters(f, openapi.Document) {
		parameters = append(parameters, fuzzedParameter{p, false})
	}
	for _, p := range apitest.Parameters(f, control.Document) {
		parameters = append(parameters, fuzzedParameter{p, true})
	}
	return s, parameters
}

// send sends the text as the parameter's value, and checks the response.
func (s *fuzzed) send(t *testing.T, p fuzzedParameter, text string, number bool) {
	baseURL := s.URL
	if p.control {
		baseURL = strings.TrimSuffix(s.ControlURL, "/control/v1")
	}
	values := maps.Clone(s.values[p.control])
	maps.Copy(values, harmless[p.Operation])
	request := p.Request(baseURL, values, text, number)
	if request == nil || dialsElsewhere(p, text) {
		t.Skip("no such request")
	}
	if p.In != "header" && !p.control && p.Operation != "createToken" {
		request.Header.Set("Authorization", "Bearer "+s.client.Token)
		request.Header.Set("X-Api-Key", s.client.Key)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	client := &http.Client{Transport: s.contracts[p.control].Transport(t, nil)}
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		t.Fatalf("%s %q: %v", p, text, err)
	}
	response.Body.Close() // that of a stream has no end
	if response.StatusCode >= 500 && response.StatusCode != http.StatusNotImplemented {
		t.Errorf("%s %q: status %d", p, text, response.StatusCode)
	}
	if t.Failed() {
		t.Logf("the call was %s %q: %s", p, text, request.URL)
	}
}

// dialsElsewhere reports whether the call would make the server connect to another host.
func dialsElsewhere(p fuzzedParameter, text string) bool {
	if p.Operation != "probeReceiver" || p.Name != "url" {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err != nil || !ip.IsLoopback()
}
