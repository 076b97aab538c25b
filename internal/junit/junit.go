// Package junit writes a test report in the XML that build servers read. It
// knows nothing of what was tested.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Message is why a case failed or was skipped: one line, and the details.
type Message struct {
	Line string `xml:"message,attr"`
	Text string `xml:",chardata"`
}

// Case is one test. It passed when it neither failed nor was skipped.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    int      `xml:"time,attr"` // not measured: 0
	Failure *Message `xml:"failure"`
	Skipped *Message `xml:"skipped"`
}

// Write writes the suite of this name with its cases, run at this time.
func Write(out io.Writer, name string, at time.Time, cases []Case) error {
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
	}{Name: name, Tests: len(cases), Timestamp: at.UTC().Format("2006-01-02T15:04:05"), Cases: cases}
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
