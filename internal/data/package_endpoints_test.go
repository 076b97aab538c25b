package data_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// TestPackages checks that a data package shows only its fields, in every version,
// and that a reset deletes the packages that were added.
func TestPackages(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, packages: packages are made with any id, listed and deleted",
		"Chosen, control API, packages: the fields of a package",
		"Chosen, data inquiry: sov with a company package shows the oldest location package of version 2")
	s := servertest.New(t, servertest.Background)
	tenant, other := s.NewTenant(`{"pacing":{"mode":"immediate"}}`), s.NewTenant(`{}`)
	txID := tenant.SubmitFile("letter.txt", servertest.Letter)
	tenant.AwaitEnd(txID)
	s.ReplaceReport(txID, servertest.FullReport())
	status := tenant.Status(txID)

	const company = `{"id":"aaa-c0002","kind":"company","fields":["company_name","broker_name","100_pct_limit","website","company_id"]}`
	const location = `{"id":"aaa-l0002","kind":"location","fields":["latitude","building_value"]}`
	const whole = `{"id":"aaa-c0003","kind":"company"}`
	for _, body := range []string{company, location, whole} {
		tenant.Control("POST /packages", body).Want(t, http.StatusCreated, body)
		other.Do("GET /data/v3/aaa-c0002/"+txID, "").Want(t, http.StatusNotFound, `{"message":"Data package not found"}`)
	}
	name := strings.TrimSuffix(tenant.CompanyPackage, "-us-c0001")
	initial := `{"id":"` + tenant.CompanyPackage + `","kind":"company"},{"id":"` + tenant.LocationPackage + `","kind":"location"},` +
		`{"id":"` + name + `-us-common-c0001","kind":"company","content":"common"},` +
		`{"id":"` + name + `-us-gl-c0001","kind":"company","content":"general-liability"},` +
		`{"id":"` + name + `-us-admitted-auto-c0001","kind":"company","content":"auto"},` +
		`{"id":"` + name + `-us-admitted-workers-comp-c0001","kind":"company","content":"workers-compensation"},` +
		`{"id":"` + name + `-us-loss-run-c0001","kind":"company","content":"loss-run"},` +
		`{"id":"` + name + `-us-property-l0001","kind":"location","content":"property"},` +
		`{"id":"` + name + `-us-admitted-advanced-property-l0001","kind":"location","content":"advanced-property"}`
	tenant.Control("GET /packages", "").Want(t, http.StatusOK, `{"packages":[`+initial+`,`+company+`,`+location+`,`+whole+`]}`)

	fields := func(object any) string { return strings.Join(slices.Sorted(maps.Keys(object.(map[string]any))), " ") }
	for _, line := range []string{"GET /data/v2/aaa-c0002/" + txID + "?idType=transaction", "GET /data/v4/aaa-c0002/" + status.Text(t, "l_report_id")} {
		got := tenant.Do(line, "").Want(t, http.StatusOK)
		if id := got.Text(t, "data_package_id"); id != "aaa-c0002" {
			t.Errorf("%s: package %s", line, id)
		}
		for at, want := range map[string]string{"facts": "company_name website", "options": "100_pct_limit broker_name"} {
			if names := fields(got.Get(t, "data", at)); names != want {
				t.Errorf("%s: %s %s, want %s", line, at, names, want)
			}
		}
		whole := tenant.Do("GET /data/v3/aaa-c0003/"+txID, "").Want(t, http.StatusOK)
		want := map[string]any{}
		for name, score := range whole.Get(t, "scores").(map[string]any) {
			if strings.Contains(company, `"`+name+`"`) {
				want[name] = score
			}
		}
		if diff := cmp.Diff(want, got.Get(t, "scores")); diff != "" || len(want) == 0 {
			t.Errorf("%s: scores\n%s", line, diff)
		}
	}
	for line, shown := range map[string]string{
		"GET /data/v2/aaa-l0002/" + txID + "?idType=sov": tenant.LocationPackage, // the oldest one
		"GET /data/v5/aaa-l0002/" + txID:                 "aaa-l0002",
	} {
		got := tenant.Do(line, "").Want(t, http.StatusOK)
		first := got.Get(t, "data").([]any)[0].(map[string]any)
		if fields(first["facts"]) != "latitude" || fields(first["options"]) != "building_value" || strings.Contains(fields(first["scores"]), "longitude") {
			t.Errorf("%s: %v", line, first)
		}
		if id := got.Text(t, "data_package_id"); id != shown {
			t.Errorf("%s: package %s", line, id)
		}
	}
	v1 := tenant.Do("GET /data/v1/aaa-c0002/"+status.Text(t, "c_report_id"), "").Want(t, http.StatusOK)
	if names := fields(v1.Get(t, "data")); names != "company_id company_name website" {
		t.Errorf("version 1 shows %s", names)
	}
	quick := tenant.Do("POST /company/v1/quick_submit?dpid=aaa-c0002", `{"company_name":"A","address":"B"}`).Want(t, http.StatusOK)
	if names := fields(quick.Get(t, "data")); names != "company_id company_name website" {
		t.Errorf("quick submit shows %s", names)
	}
	// A company package that is asked for locations is replaced by the location
	// package that the tenant was created with.
	if id := tenant.Do("GET /data/v2/aaa-c0002/"+txID+"?idType=sov", "").Want(t, http.StatusOK).Text(t, "data_package_id"); id != tenant.LocationPackage {
		t.Errorf("locations are shown by %s, want %s", id, tenant.LocationPackage)
	}

	tenant.Control("DELETE /packages/aaa-c0003", "").Want(t, http.StatusNoContent)
	tenant.Control("DELETE /packages/aaa-c0003", "").Want(t, http.StatusNotFound, `{"message":"Data package not found"}`)
	tenant.Control("DELETE /packages/%EF%BF%BD", "").Want(t, http.StatusNotFound, `{"message":"Data package not found"}`)
	tenant.Control("DELETE /packages/"+tenant.CompanyPackage, "").Want(t, http.StatusConflict, `{"message":"A data package with which the tenant was created cannot be deleted"}`)
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	tenant.Control("GET /packages", "").Want(t, http.StatusOK, `{"packages":[`+initial+`]}`)
	tenant.Control("POST /packages", whole).Want(t, http.StatusCreated)
}

// TestInvalidPackages checks that the response to an invalid package says what is
// wrong with it.
func TestInvalidPackages(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{}`)
	tooLong := `{"id":"` + strings.Repeat("x", 201) + `","kind":"company"}`
	const form = `id: want 1 to 200 characters without spaces, /, ?, # and %`
	const contents = `common or general-liability or auto or workers-compensation or loss-run or property or advanced-property`
	for body, message := range map[string]string{
		tooLong:                         form,
		`{}`:                            form,
		`{"id":1,"kind":"company"}`:     form,
		`{"id":"x y","kind":"company"}`: form,
		`{"id":"..","kind":"company"}`:  form,
		`{"id":"x/y-c0001"}`:            form,
		`{"id":"x"}`:                    `kind: want company or location`,
		`{"id":"x","content":"other"}`:  `content: want ` + contents,
		`{"id":"x","content":""}`:       `content: want ` + contents,
		`{"id":"x","content":["auto"]}`: `content: want ` + contents,
		`{"id":"x","kind":"location","content":"auto"}`:              `kind: the content is that of a company package`,
		`{"id":"x","kind":"company","content":"property"}`:           `kind: the content is that of a location package`,
		`{"id":"x","content":"auto","fields":["vehicles"]}`:          `fields: a package with a content shows all its fields: send either content or fields`,
		`{"id":"x-c0001","kind":"other"}`:                            `kind: want company or location`,
		`{"id":"x-c0001","kind":"location"}`:                         `kind: the id is that of a company package`,
		`{"id":"x-l0001","kind":"company"}`:                          `kind: the id is that of a location package`,
		`{"id":"x-c0001","kind":"company","fields":[]}`:              `fields: want an array of field names, at least one`,
		`{"id":"x-c0001","kind":"company","fields":null}`:            `fields: want an array of field names, at least one`,
		`{"id":"x-c0001","kind":"company","fields":"website"}`:       `fields: want an array of field names, at least one`,
		`{"id":"x-c0001","kind":"company","fields":[1]}`:             `fields: want an array of field names, at least one`,
		`{"id":"x-c0001","kind":"company","fields":["wbsite"]}`:      `fields: a company package has no field \"wbsite\"`,
		`{"id":"x-c0001","kind":"company","fields":["latitude"]}`:    `fields: a company package has no field \"latitude\"`,
		`{"id":"x-l0001","kind":"location","fields":["website"]}`:    `fields: a location package has no field \"website\"`,
		`{"id":"x-c0001","kind":"company","fields":["city","city"]}`: `fields: \"city\" is listed twice`,
		`{"id":"x-c0001","kind":"company","field":["website"]}`:      `unknown field \"field\"`,
	} {
		s.Unchanged(t, func() {
			tenant.Control("POST /packages", body).Want(t, http.StatusBadRequest, `{"message":"`+message+`"}`)
		})
	}
	tenant.Control("POST /packages", `{"id":"`+tenant.LocationPackage+`","kind":"location","fields":["latitude"]}`).
		Want(t, http.StatusConflict, `{"message":"id: data package \"`+tenant.LocationPackage+`\" already exists"}`)
	s.Control("GET /tenants/nobody/packages", "").Want(t, http.StatusNotFound)
	s.Control("POST /tenants/nobody/packages", `{"id":"x-c0001","kind":"company"}`).Want(t, http.StatusNotFound)
	s.Control("DELETE /tenants/nobody/packages/x-c0001", "").Want(t, http.StatusNotFound)
}

// TestPackagesOfContents checks that a package can have any id if its content is given,
// that the content determines the kind, and that a client can use the package at once.
func TestPackagesOfContents(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, packages: packages are made with any id, listed and deleted",
		"Chosen, control API, packages: the content implies the kind",
		"Chosen, data inquiry: version 5 has packages by line of business",
		"Chosen, data inquiry: sov with a company package shows the oldest location package of version 2",
		"Version 5, packages: packages of any id and content")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	txID := tenant.SubmitFile("letter.txt", servertest.Letter)
	tenant.AwaitEnd(txID)
	id := 0
	for _, name := range field.ContentNames() {
		content, _ := field.FindContent(name)
		kind := map[bool]string{false: "company", true: "location"}[content.Locations]
		for _, form := range []string{"Carrier.%d", "carrier_us-prod-%d", "carrier-us-x%d-c0001", "carrier-us-x%d-l0001"} {
			id++
			own := fmt.Sprintf(form, id)
			tenant.Control("POST /packages", `{"id":"`+own+`","content":"`+name+`"}`).
				Want(t, http.StatusCreated, `{"id":"`+own+`","kind":"`+kind+`","content":"`+name+`"}`)
			got := tenant.Do("GET /data/v5/"+own+"/"+txID, "").Want(t, http.StatusOK)
			servertest.CheckVersion5(t, got, content)
			if got.Text(t, "data_package_id") != own {
				t.Errorf("wrong data_package_id in %s", got.Body)
			}
		}
	}
	// An id with characters that a client may escape in the path.
	for escaped, plain := range map[string]string{"a%3Ab": "a:b", "a%3ab%40": "a:b@", "Na%C3%AFve": "Na\u00efve", "x%2By": "x+y", "a;b": "a;b"} {
		tenant.Control("POST /packages", `{"id":"`+plain+`","content":"auto"}`).Want(t, http.StatusCreated)
		if got := tenant.Do("GET /data/v5/"+escaped+"/"+txID, "").Want(t, http.StatusOK).Text(t, "data_package_id"); got != plain {
			t.Errorf("%s: data_package_id %q, want %q", escaped, got, plain)
		}
	}
	// Any id if the kind is given, and an id whose end determines the kind.
	tenant.Control("POST /packages", `{"id":"Mine","kind":"location"}`).Want(t, http.StatusCreated)
	tenant.Do("GET /data/v3/Mine/"+txID, "").Want(t, http.StatusOK)
	tenant.Control("POST /packages", `{"id":"mine-l0002"}`).Want(t, http.StatusCreated, `{"id":"mine-l0002","kind":"location"}`)
	// None of them changes the package of a location inquiry, which is the oldest one
	// of version 2.
	sov := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	if got := sov.Text(t, "data_package_id"); got != tenant.LocationPackage {
		t.Errorf("sov shows %s, want %s", got, tenant.LocationPackage)
	}
	sov = tenant.Do("GET /data/v2/mine-l0002/"+txID+"?idType=sov", "").Want(t, http.StatusOK)
	if got := sov.Text(t, "data_package_id"); got != tenant.LocationPackage {
		t.Errorf("sov with another location package shows %s, want %s", got, tenant.LocationPackage)
	}
	tenant.Control("DELETE /packages/Carrier.1", "").Want(t, http.StatusNoContent)
	tenant.Do("GET /data/v5/Carrier.1/"+txID, "").Want(t, http.StatusNotFound, `{"message":"Data package not found"}`)
	tenant.Control("DELETE /packages/"+strings.Replace(tenant.CompanyPackage, "-us-", "-us-common-", 1), "").Want(t, http.StatusConflict)
}
