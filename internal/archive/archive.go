// Package archive exports the submissions of a tenant with their results and files, and the
// reports of its company submits, as a stream, and imports such a stream. The packages that
// own the rows read and write them.
//
// The stream is in the format tar. Its first file, archive.json, has the version. Then come
// the files of each submission, submissions/<tx_id>/record.json and, if it has a document,
// submissions/<tx_id>/file, and then companies/<tx_id>/record.json for each company submit.
// The last file, end.json, shows that the stream is complete. At most one record is in
// memory.
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/data"
	"understudy.example/internal/universal/archived"
)

// ContentType is the content type of a stream.
const ContentType = "application/x-tar"

const (
	format  = "understudy-submissions"
	version = 1 // of the streams that this release writes, and the newest that it reads
)

// Names of files in a stream.
const (
	HeadName   = "archive.json"
	endName    = "end.json"
	folder     = "submissions/"
	companies  = "companies/"
	recordName = "/record.json"
	fileName   = "/file"
)

// Maximum sizes in bytes of files in a stream. The worker processes return at most 64 MiB
// for a document, and its report is smaller.
const (
	maxHead   = 64 << 10
	maxRecord = 128 << 20
)

// recordBounds allow a report with 10,000 locations. An outcome's values can be as deep as
// the body that set them. PostgreSQL needs 650 bytes of memory for each array and object,
// and 110 for each value.
var recordBounds = api.Bounds{Bytes: maxRecord, Nesting: api.MaxNesting + 20, Values: 6_000_000, Objects: 1_500_000}

// Head is the file archive.json.
type Head struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Tenant      string `json:"tenant"`
	Submissions int    `json:"submissions"` // that were there when the export began
	LeftOut     int    `json:"left_out"`    // submissions that were in progress then
}

// End is the file end.json.
type End struct {
	Submissions int `json:"submissions"` // in the stream
	Companies   int `json:"companies"`   // company submits in the stream
}

// Record is the file record.json of a submission.
type Record struct {
	archived.Submission
	Report *data.Archived `json:"report,omitempty"`
}

// Result is the response to an import.
type Result struct {
	Imported          int      `json:"imported"`
	Skipped           int      `json:"skipped"`            // submissions that the tenant had already
	ImportedCompanies int      `json:"imported_companies"` // reports of company submits
	SkippedCompanies  int      `json:"skipped_companies"`  // those that the tenant had already
	MissingFiles      int      `json:"missing_files"`      // submissions imported without their files, which the export did not find
	Problems          []string `json:"problems"`           // the first ones
}

// reserve reserves memory for a record. It waits as long as the other calls of the server
// use all memory.
func reserve(ctx context.Context, budget *api.Budget, tenantID uuid.UUID, bytes int64) (*api.Room, error) {
	for {
		room, err := budget.Reserve(ctx, tenantID, bytes)
		if !errors.Is(err, api.ErrBusy) {
			return room, err
		}
	}
}

// IsSubmission reports whether the file of a stream with the name is the record of a
// submission.
func IsSubmission(name string) bool {
	_, ok := ofRecord(folder, name)
	return ok
}

// IsCompany reports whether the file of a stream with the name is the record of a company
// submit.
func IsCompany(name string) bool {
	_, ok := ofRecord(companies, name)
	return ok
}

// ofRecord returns the tx_id in the name of a record in the folder. ok is false if the name
// is that of another file.
func ofRecord(folder, name string) (txID string, ok bool) {
	name, inFolder := strings.CutPrefix(name, folder)
	txID, isRecord := strings.CutSuffix(name, recordName)
	return txID, inFolder && isRecord
}

// IsEnd reports whether the file of a stream with the name is the last one.
func IsEnd(name string) bool { return name == endName }

// ReadHead parses the file archive.json. It returns an error if this release cannot read what
// follows.
func ReadHead(text []byte) (head Head, err error) {
	err = json.Unmarshal(text, &head)
	switch {
	case err != nil || head.Format != format:
		return head, errors.New(HeadName + " is not that of an export of submissions")
	case head.Version != version:
		return head, fmt.Errorf("its submissions are in version %d; this release reads version %d: use the release that has exported them, or a later one", head.Version, version)
	}
	return head, nil
}
