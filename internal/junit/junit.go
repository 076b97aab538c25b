// Package junit writes test reports as JUnit XML, the format that build servers
// read. It does not know what was tested.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Detail is the reason why a case failed or was skipped: a one-line summary and the
// full text.
type Detail struct {
	Summary string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Case is one test. It passed if both Failure and Skipped are nil.
type Case struct {
	Class   string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Time    int     `xml:"time,attr"` // not measured, always 0
	Failure *Detail `xml:"failure"`
	Skipped *Detail `xml:"skipped"`
}

// Write writes a test suite with its name, timestamp and cases.
func Write(out io.Writer, name string, timestamp time.Time, cases []Case) error {
	suite := struct {
		XMLName   xml.Name `xml:"testsuite"`
		Name      string   `xml:"name,attr"`
		Tests     int      `xml:"tests,attr"`
		Failures  int      `xml:"failures,attr"`
		Errors    int      `xml:"errors,attr"`
		Skipped   int      `xml:"skipped,attr"`
		Time      int      `xml:"time,attr"`
		Timestamp string   `xml:"timestamp,attr"`
		Cases     []Case   `xml:"testcase"`
	}{Name: name, Tests: len(cases), Timestamp: timestamp.UTC().Format("2006-01-02T15:04:05"), Cases: cases}
	for _, c := range cases {
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write test report: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s%s\n", xml.Header, text)
	return err
}
