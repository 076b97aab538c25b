package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy.example/sandbox"
)

// Each example is the body of a test function, such as func TestDecline(t *testing.T).

// A submission fails on demand, and the test advances the tenant's clock instead of waiting.
func Example() {
	test(func(t testing.TB) {
		s := sandbox.Start(t, sandbox.NoFindings())
		s.SetOutcome(sandbox.Outcome{
			Match:  sandbox.Match{Filename: "broken.*"},
			Status: sandbox.Failed,
		})
		txID := s.Submit("broken.txt", []byte("Insured: Foxglove Bakery LLC")) // replace with your client
		s.Advance(time.Minute)
		fmt.Println(s.Transaction(txID).Status)
	})
	// Output: Failed
}

// HTTPClient is a client of the API with the tenant's credentials.
func ExampleSandbox_HTTPClient() {
	test(func(t testing.TB) {
		s := sandbox.Start(t)
		txID := s.Submit("letter.txt", []byte("Insured: Foxglove Bakery LLC"))
		response, err := s.HTTPClient().Get(s.BaseURL + "/universal/v2/universal-submit/status/" + txID)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		fmt.Println(response.Status)
	})
	// Output: 200 OK
}

// The service is unavailable for one call.
func ExampleSandbox_AddFault() {
	test(func(t testing.TB) {
		s := sandbox.Start(t)
		s.AddFault(sandbox.Fault{Route: "GET /hooks", Status: http.StatusServiceUnavailable, Times: 1})
		for range 2 {
			response, err := s.HTTPClient().Get(s.BaseURL + "/hooks")
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			fmt.Println(response.Status)
		}
	})
	// Output:
	// 503 Service Unavailable
	// 200 OK
}

// Wait until a submission has ended.
func ExampleSandbox_Await() {
	test(func(t testing.TB) {
		s := sandbox.Start(t, sandbox.WithSettings(sandbox.Settings{Pacing: sandbox.Immediate()}))
		txID := s.Submit("letter.txt", []byte("Insured: Foxglove Bakery LLC"))
		event := s.Await("universal_submit:completed", txID, time.Minute)
		fmt.Println(event.Name, s.Transaction(txID).Company)
	})
	// Output: universal_submit:completed Foxglove Bakery LLC
}

// A receiver verifies the signature of each event. Here, it refuses the first delivery of
// one, which the server therefore retries.
func ExampleSandbox_Receiver() {
	test(func(t testing.TB) {
		s := sandbox.Start(t)
		receiver := s.Receiver(sandbox.ReceiverOptions{Status: http.StatusServiceUnavailable})
		s.FireEvent("quote_request:made", map[string]int{"number": 7})
		fmt.Println(receiver.Wait("quote_request", time.Minute).Status)
		s.Await("delivery", "", time.Minute)

		receiver.SetStatus(http.StatusOK)
		s.Advance(time.Hour)
		event := receiver.Wait("quote_request:made", time.Minute)
		fmt.Println(event.Status, event.Event, string(event.Data))
	})
	// Output:
	// 503
	// 200 quote_request:made {"number":7}
}

// testdata/seed.yaml lists a tenant's settings, outcomes and documents.
func ExampleSandbox_Seed() {
	test(func(t testing.TB) {
		s := sandbox.Start(t)
		txIDs := s.Seed("testdata/seed.yaml", "bakery")
		s.Await("universal_submit:completed", txIDs[0], time.Minute)
		fmt.Println(s.Transaction(txIDs[0]).Filename)

		txID := s.Submit("order.decline.txt", []byte("Insured: Larkspur Logistics Inc"))
		s.Await("universal_submit:failed", txID, time.Minute)
		fmt.Println(s.Transaction(txID).Status)
	})
	// Output:
	// letter.txt
	// Failed
}

// The client sends JSON as text, which the test reports when it ends.
func ExampleNoFindings() {
	test(func(t testing.TB) {
		s := sandbox.Start(t, sandbox.WithName("careless"), sandbox.NoFindings())
		response, err := s.HTTPClient().Post(s.BaseURL+"/hooks", "text/plain", strings.NewReader(`{"url":"http://127.0.0.1:9/"}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	})
	// Output:
	// understudy: findings about the clients of tenant careless:
	//   json-content-type (1): A JSON body was sent without the Content-Type application/json
	//     POST /hooks: 201
	//     Hint: Send Content-Type: application/json with each JSON body.
}
