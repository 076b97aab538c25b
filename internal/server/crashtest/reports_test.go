//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"fmt"

	"understudy.example/internal/server/servertest"
)

// read reads the report of a completed submission. Later inquiries must show the same.
func (c *client) read(ctx context.Context, s *submission) {
	if s.status != "Completed" {
		return
	}
	response, ok := c.do(ctx, call{kind: "read the report", key: s.txID, line: "GET /data/v2/" + s.tenant.CompanyPackage + "/" + s.txID + "?idType=transaction"})
	if !ok {
		return
	}
	report := comparable(response.Body)
	if s.report != "" && s.report != report {
		c.journal.fail(lost, s.txID, "the report was\n%s\n\tand is now\n%s", s.report, report)
	}
	var content struct {
		SeedInput struct {
			CompanyName string `json:"company_name"`
		} `json:"seed_input"`
	}
	json.Unmarshal([]byte(response.Body), &content)
	if got := content.SeedInput.CompanyName; got != s.document.company {
		c.journal.fail(lost, s.txID, "the report is about %q, the document about %q", got, s.document.company)
	}
	c.lock(func() { s.report = report })
}

// comparable returns the body of an inquiry without the fields that differ in each.
func comparable(body string) string {
	var content map[string]any
	if err := json.Unmarshal([]byte(body), &content); err != nil {
		return body
	}
	for _, key := range []string{"tx_id", "tx_start_time", "tx_end_time", "response_time_secs"} {
		delete(content, key)
	}
	text, _ := json.Marshal(content)
	return string(text)
}

// submitCompany submits a company and reads its report.
func (c *client) submitCompany(ctx context.Context) {
	response, ok := c.do(ctx, call{
		kind: "submit a company", point: submitting, line: servertest.SubmitCompany,
		body: fmt.Sprintf(`{"company_name":%q,"address":"12 Mill Street, Springfield, IL 62701"}`, c.newCompany()),
	})
	if !ok {
		return
	}
	one := &company{tenant: c.tenant, txID: text(response, "tx_id"), reportID: text(response, "c_report_id")}
	c.journal.write(one.txID, "submit a company: %s", response.Body)
	c.lock(func() { c.companies = append(c.companies, one) })
	c.readCompany(ctx, one)
}

// readCompany reads the report of a company submit. Later inquiries must show the same.
func (c *client) readCompany(ctx context.Context, one *company) {
	response, ok := c.do(ctx, call{kind: "read the company's report", key: one.txID, line: "GET /data/v1/" + one.tenant.CompanyPackage + "/" + one.reportID})
	if !ok {
		return
	}
	report := comparable(response.Body)
	if one.report != "" && one.report != report {
		c.journal.fail(lost, one.txID, "the company's report was\n%s\n\tand is now\n%s", one.report, report)
	}
	c.lock(func() { one.report = report })
}
