package outcome_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/outcome"
	"understudy.example/internal/server/servertest"
)

// emptyArrays is a JSON array of about the given size, which takes 13 times as much
// memory when it is decoded.
func emptyArrays(bytes int) string { return "[" + strings.Repeat("[],", bytes/3) + "[]]" }

// rawOutcome is an outcome with values of about the given size.
func rawOutcome(match string, bytes int) string {
	return `{"match":` + match + `,"raw":true,"facts":{"subsidiary_companies":` + emptyArrays(bytes) + `}}`
}

// TestOutcomesAreReadOnlyIfTheyApply counts the bytes that the server reads from the
// database, to check that it reads only the values of the outcome that applies, and only
// once.
func TestOutcomesAreReadOnlyIfTheyApply(t *testing.T) {
	var read servertest.BytesRead
	s := servertest.New(t, servertest.Background, read.Record(t))
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	const size = 150_000
	for i := range 10 {
		tenant.Control("PUT /outcomes", rawOutcome(`{"filename":"`+strings.Repeat("*", i+1)+`"}`, size)).Want(t, http.StatusOK)
		tenant.Control("PUT /outcomes", rawOutcome(fmt.Sprintf(`{"company_name":"Foxglove %d"}`, i), size)).Want(t, http.StatusOK)
	}
	read.Take()
	txID := tenant.SubmitFile("a.txt", servertest.Letter)
	// AwaitEnd would read from the database too, by polling the status.
	servertest.Until(t, "the submission has ended", func() bool { return strings.Contains(s.Timeline(txID), "Completed") })
	if n := read.Take(); n < size || n > 3*size {
		t.Errorf("a submission read %d bytes, want about %d", n, size)
	}
	const line = "POST /company/v1/company_submit"
	tenant.Do(line, `{"company_name":"Foxglove 3","address":"5 Dock Road"}`).Want(t, http.StatusOK)
	if n := read.Take(); n < size || n > 3*size {
		t.Errorf("a company submit read %d bytes, want about %d", n, size)
	}
	tenant.Do(line, `{"company_name":"Foxglove","address":"5 Dock Road"}`).Want(t, http.StatusOK)
	if n := read.Take(); n > size {
		t.Errorf("a company submit without an outcome read %d bytes", n)
	}
}

// TestValuesOfOutcomesAreNotDecoded checks that arrays and objects stay in their encoded
// form.
func TestValuesOfOutcomesAreNotDecoded(t *testing.T) {
	var values outcome.Values
	if err := json.Unmarshal([]byte(`{"a":`+emptyArrays(90_000)+`,"b":{"d": 1,"c":2},"e":"text","f":1.5}`), &values); err != nil {
		t.Fatal(err)
	}
	if raw, ok := values["a"].(json.RawMessage); !ok || len(raw) > 100_000 {
		t.Errorf("the array is a %T", values["a"])
	}
	if got := fmt.Sprintf("%s %v %v", values["b"], values["e"], values["f"]); got != `{"c":2,"d":1} text 1.5` {
		t.Errorf("values %s", got)
	}
}

// TestCompanySubmitReservesMemory checks that a company submit to which a large outcome
// applies counts as a large response.
func TestCompanySubmitReservesMemory(t *testing.T) {
	budget := api.NewBudget(4<<20, 3<<20, 50*time.Millisecond)
	s := servertest.New(t, func(o *servertest.Options) { o.Budget = budget })
	tenant := s.NewTenant(`{}`)
	tenant.Control("PUT /outcomes", rawOutcome(`{"company_name":"large"}`, 500_000)).Want(t, http.StatusOK)
	tenant.Control("PUT /outcomes", rawOutcome(`{"company_name":"small"}`, 1000)).Want(t, http.StatusOK)
	submit := func(name string) servertest.Response {
		return tenant.Do("POST /company/v1/company_submit", `{"company_name":"`+name+`","address":"5 Dock Road"}`)
	}
	room, err := budget.Reserve(t.Context(), uuid.New(), 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	if got := submit("large"); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("large outcome: %d %s, want 503 with Retry-After", got.Status, got.Body)
	}
	submit("small").Want(t, http.StatusOK)
	room.Release()
	submit("large").Want(t, http.StatusOK)
	if n := budget.Used(); n != 0 {
		t.Errorf("%d bytes are reserved after the calls", n)
	}
}

// TestLimitsOfOutcomes checks the number and the sizes of a tenant's outcomes, also of
// those that are imported.
func TestLimitsOfOutcomes(t *testing.T) {
	servertest.Slow(t)
	servertest.Proves(t, "Chosen, control API, outcomes: their number and sizes are limited per tenant")
	s := servertest.New(t)
	tenant := s.Tenant("acme")
	text := func(filename string, bytes int) string {
		return `{"match":{"filename":"` + filename + `"},"facts":{"company_name":"` + strings.Repeat("x", bytes) + `"}}`
	}
	// PostgreSQL stores such a number with all its 309 digits.
	numbers := `{"match":{"filename":"1"},"raw":true,"facts":{"subsidiary_companies":[` + strings.Repeat("1e308,", 55_000) + `1]}}`
	imported := func(outcomes ...string) servertest.Response {
		return tenant.Control("PUT /configuration", `{"outcomes":[`+strings.Join(outcomes, ",")+`]}`)
	}
	const tooLarge = "limit of 16 MiB for all outcomes reached"
	tenant.Control("PUT /outcomes", numbers).Want(t, http.StatusConflict, `{"message":"`+tooLarge+`"}`)
	imported(numbers).Want(t, http.StatusBadRequest, `{"message":"outcomes: `+tooLarge+`"}`)
	imported(text("1", 1_050_000)).Want(t, http.StatusBadRequest,
		`{"message":"outcomes[0]: facts, options, locations and packages: want at most 1 MiB in all"}`)
	imported(text("1", 1)).Want(t, http.StatusOK)
	s.Exec(`
		insert into outcomes (tenant_id, filename, facts, created_at)
		select tenant_id, 'large' || n, jsonb_build_object('company_name', repeat('x', 1040000)), created_at
		from outcomes
		cross join generate_series(1, 16) n`)
	tenant.Control("PUT /outcomes", text("2", 200_000)).Want(t, http.StatusConflict, `{"message":"`+tooLarge+`"}`)
	tenant.Control("PUT /outcomes", text("large2", 1_000_000)).Want(t, http.StatusOK) // it replaces another one
	s.Tenant("globex").Control("PUT /outcomes", text("2", 200_000)).Want(t, http.StatusOK)

	imported(text("1", 1)).Want(t, http.StatusOK)
	s.Exec(`
		insert into outcomes (tenant_id, filename, created_at)
		select tenant_id, 'more' || n, created_at
		from outcomes
		cross join generate_series(2, 1000) n
		where filename = '1'`)
	tenant.Control("PUT /outcomes", text("2", 1)).Want(t, http.StatusConflict, `{"message":"limit of 1000 outcomes reached"}`)
	tenant.Control("PUT /outcomes", text("1", 1)).Want(t, http.StatusOK)
}
