package control

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy/internal/api"
)

// writeJUnit answers with the findings as a test report: a case for each rule.
func writeJUnit(w http.ResponseWriter, tenant string, found []finding, now time.Time) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr"`
		Failure *failure `xml:"failure"`
	}
	type suite struct {
		XMLName   xml.Name   `xml:"testsuite"`
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Time      string     `xml:"time,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []testCase `xml:"testcase"`
	}
	report := suite{
		Name: "understudy." + tenant, Tests: len(rules), Failures: len(found), Time: "0",
		Timestamp: now.Format("2006-01-02T15:04:05"),
	}
	for _, rule := range rules {
		one := testCase{Name: rule.name, Class: "understudy." + tenant, Time: "0"}
		for _, f := range found {
			if f.Rule == rule.name {
				one.Failure = &failure{
					Message: fmt.Sprintf("%s (%d times)", f.Message, f.Count),
					Text:    f.Advice + "\nEvidence:\n" + strings.Join(f.Evidence, "\n"),
				}
			}
		}
		report.Cases = append(report.Cases, one)
	}
	text, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	w.Header().Set("Content-Type", "application/xml")
	return api.Write(w, http.StatusOK, api.Text(xml.Header+string(text)+"\n"))
}
