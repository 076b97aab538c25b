package archive_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/server/servertest"
)

// file is a file of a stream.
type file struct {
	tar.Header
	content string
}

// unpack returns the files of a stream.
func unpack(t *testing.T, stream string) (files []file) {
	t.Helper()
	for reader := tar.NewReader(strings.NewReader(stream)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{*header, string(content)})
	}
}

// pack returns a stream with the files.
func pack(t *testing.T, files ...file) string {
	t.Helper()
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, f := range files {
		if f.Typeflag == tar.TypeReg {
			f.Size = int64(len(f.content))
		}
		if err := writer.WriteHeader(&f.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(writer, f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRefusedStreams imports streams that no export has written. They change nothing.
func TestRefusedStreams(t *testing.T) {
	s := servertest.New(t)
	txID := s.Acme().Submit("letter.txt", servertest.Letter)
	s.Acme().Submit("a.fail.txt", servertest.Letter)
	whole := export(s, "acme")
	files := unpack(t, whole)
	if len(files) != 6 { // archive.json, two records with their files, end.json
		t.Fatalf("%d files", len(files))
	}
	for i, f := range files {
		if strings.HasSuffix(f.Name, ".json") {
			var compact bytes.Buffer
			if err := json.Compact(&compact, []byte(f.content)); err != nil {
				t.Fatal(err)
			}
			files[i].content = compact.String()
		}
	}
	company := func(id, content string) string {
		f := file{content: content}
		f.Name, f.Typeflag = "companies/"+id+"/record.json", tar.TypeReg
		return pack(t, files[0], f, files[5])
	}
	const companyID = "acme-01a206eb-f885-7d5e-9271-3b1f4299b609"
	target := servertest.Open(t)
	// with returns the stream with the n-th file changed by change.
	with := func(n int, change func(f *file)) string {
		changed := append([]file(nil), files...)
		change(&changed[n])
		return pack(t, changed...)
	}
	// tar.Writer does not write sparse files.
	sparse := strings.ReplaceAll(with(2, func(f *file) {
		f.Format = tar.FormatPAX
		f.PAXRecords = map[string]string{"SNU.sparse.major": "1", "SNU.sparse.minor": "0", "SNU.sparse.name": f.Name, "SNU.sparse.realsize": "104857600"}
		f.content = "0\n" + strings.Repeat("\x00", 510)
	}), "SNU.sparse.", "GNU.sparse.")
	replace := func(n int, old, replacement string) string {
		if !strings.Contains(files[n].content, old) {
			t.Fatalf("%s has no %s: %s", files[n].Name, old, files[n].content)
		}
		return with(n, func(f *file) { f.content = strings.Replace(f.content, old, replacement, 1) })
	}
	nested := strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)
	var huge bytes.Buffer
	if err := tar.NewWriter(&huge).WriteHeader(&tar.Header{Name: files[1].Name, Typeflag: tar.TypeReg, Size: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	head := pack(t, files[0])
	head = head[:len(head)-1024] // without the end of the tar
	target.Unchanged(t, func() {
		audit := servertest.Value[int](target, "select count(*) from audit_entries")
		for name, c := range map[string]struct {
			stream string
			status int
			want   string
		}{
			"empty":               {"", 400, "it ends before end.json"},
			"no tar":              {strings.Repeat("hello ", 500), 400, "archive is damaged"},
			"cut in a record":     {whole[:1800], 400, "archive is damaged"},
			"cut before a record": {head, 400, "it ends before end.json"},
			"huge record":         {head + huge.String(), 413, "is larger than 131072 KiB"},
			"other head":          {replace(0, "understudy-submissions", "other"), 400, "is not that of an export"},
			"newer":               {replace(0, `"version":1`, `"version":2`), 400, "its submissions are in version 2; this release reads version 1"},
			"older":               {replace(0, `"version":1`, `"version":0`), 400, "in version 0"},
			"no head":             {pack(t, files[1:]...), 400, "the first file is not archive.json"},
			"path outside":        {with(1, func(f *file) { f.Name = "../../etc/passwd" }), 400, "unexpected file"},
			"path of another":     {with(1, func(f *file) { f.Name = "submissions/../" + txID + "/record.json" }), 400, "has another tx_id"},
			"link":                {with(1, func(f *file) { f.Typeflag, f.Linkname, f.Size, f.content = tar.TypeSymlink, "/etc/passwd", 0, "" }), 400, "other than a file"},
			"other id":            {replace(1, txID, "01a206eb-f885-7d5e-9271-3b1f4299b609"), 400, "has another tx_id"},
			"no JSON":             {with(1, func(f *file) { f.content = "{" }), 400, "unexpected EOF"},
			"unknown field":       {replace(1, `"tx_id"`, `"more":1,"tx_id"`), 400, "unknown field"},
			"in progress":         {replace(1, `"status":"Completed"`, `"status":"Started"`), 400, "want Pending, Completed or Failed"},
			"report of a failure": {replace(1, `"status":"Completed"`, `"status":"Failed"`), 400, "only a completed submission has a report"},
			"invalid row":         {replace(1, `"finished_at"`, `"upload_expires_at"`), 400, "final_has_end"},
			"no file name":        {replace(1, `"letter.txt"`, `""`), 400, "submissions_filename_check"},
			"NUL":                 {replace(1, `"letter.txt"`, `"a\u0000"`), 400, "invalid byte sequence"},
			"NUL in a report":     {replace(1, `"seed":{`, `"seed":{"a":"\u0000",`), 400, "Unicode"},
			"report id":           {replace(1, `"c_report_id":"C`, `"c_report_id":"`), 400, "c_report_id_check"},
			"report values":       {replace(1, `"seed":{`, `"seed":"","more":{`), 400, "report: company"},
			"locations": {with(1, func(f *file) {
				f.content = f.content[:strings.LastIndex(f.content, `"locations":`)] + `"locations":{}}}`
			}), 400, "locations: not an array"},
			"many locations": {with(1, func(f *file) {
				f.content = f.content[:strings.LastIndex(f.content, `"locations":`)] + `"locations":[` + strings.Repeat("{},", 10_000) + `{}]}}`
			}), 400, "locations: there are more than 10000"},
			"large company":       {replace(1, `"seed":{`, `"seed":{"a":"`+strings.Repeat("a", 16<<20)+`",`), 400, "company: it is larger than 16 MiB"},
			"extracted locations": {replace(1, `"facts":[`, `"facts":{"a":`), 400, ""},
			"huge number":         {replace(1, `"seed":{`, `"seed":{"a":1e131071,`), 400, "a number has an exponent beyond 308"},
			"nested":              {replace(1, `"seed":{`, `"seed":{"a":`+nested+`,`), 400, "nested more than 120 deep"},
			"unknown extraction":  {replace(1, `"facts":[`, `"more":[],"facts":[`), 400, "extraction: json: unknown field"},
			"many objects":        {replace(1, `"facts":[`, `"facts":[`+strings.Repeat("{},", 1_500_000)), 400, "more than 1500000 arrays and objects"},
			"many parts":          {replace(1, `"parts":[`, `"parts":[`+strings.Repeat("{},", 2000)), 400, "extraction: too many parts"},
			"long name of a part": {replace(1, `"parts":[`, `"parts":[{"name":"`+strings.Repeat("n", 256)+`"},`), 400, "a name, format or note of a part is too long"},
			"long failure":        {replace(1, `"status":"Completed"`, `"status":"Completed","failure":"`+strings.Repeat("f", 64<<10+1)+`"`), 400, "failure: it is longer than 65536 bytes"},
			"year 10000":          {replace(1, `"created_at":"`, `"created_at":"9999-12-31T23:59:59-12:00","upload_expires_at":"`), 400, "created_at: want a year from 1 to 9998"},
			"year 0":              {replace(1, `"finished_at":"`, `"finished_at":"0001-01-01T00:00:00+12:00","upload_expires_at":"`), 400, "finished_at: want a year from 1 to 9998"},
			"year in timeline":    {replace(1, `"timeline":[`, `"timeline":[{"status":"Scheduled","at":"9999-12-31T23:59:59-12:00"},`), 400, "timeline: want a year from 1 to 9998"},
			"year of report":      {replace(1, `"company":{`, `"created_at":"9999-12-31T23:59:59-12:00","company":{`), 400, "report: created_at: want a year from 1 to 9998"},
			"unknown state":       {replace(1, `"status":"Scheduled"`, `"status":"Delivered"`), 400, "timeline: it has an unknown status"},
			"state twice":         {replace(1, `"status":"Scheduled"`, `"status":"Started"`), 400, "submission_timeline_pkey"},
			"sparse file":         {sparse, 400, "it has a sparse file: "},
			"other content":       {with(2, func(f *file) { f.content = strings.ToUpper(f.content) }), 400, "does not have the SHA-256"},
			"other size":          {with(2, func(f *file) { f.content = "a" }), 400, "has another size"},
			"company path":        {company("../acme-01a206eb-f885-7d5e-9271-3b1f4299b609", "{}"), 400, "its tx_id is not that of a company submit"},
			"company id":          {company(txID, "{}"), 400, "its tx_id is not that of a company submit"},
			"company null":        {company(companyID, "null"), 400, "Transaction " + companyID + " in the archive is invalid: company: unexpected end"},
			"company ids":         {company(companyID, `{"company":{},"locations":[]}`), 400, "c_report_id_check"},
			"company field":       {company(companyID, `{"more":1}`), 400, "unknown field"},
			"no file":             {pack(t, files[0], files[1], files[5]), 400, "does not follow its record"},
		} {
			got := target.ControlWith(t, target.ControlClient, "POST /tenants/acme/archive", c.stream, map[string]string{"Content-Type": "application/x-tar"})
			if got.Status != c.status || !strings.Contains(got.Body, c.want) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		if n := servertest.Value[int](target, "select count(*) from audit_entries") - audit; n < 30 {
			t.Errorf("%d audit entries", n)
		}
		target.Exec("delete from audit_entries")
	})
	got := target.ControlWith(t, target.ControlClient, "POST /tenants/acme/archive", whole, map[string]string{"Content-Type": "application/gzip"})
	if got.Status != http.StatusUnsupportedMediaType {
		t.Errorf("other content type: %d %s", got.Status, got.Body)
	}
	load(target, "nobody", whole, http.StatusNotFound, "")
	// What was imported before an error stays, and a second import imports the rest.
	load(target, "acme", with(3, func(f *file) { f.content = "{}" }), http.StatusBadRequest, "has another tx_id")
	load(target, "acme", pack(t, files[0], files[1], files[2], files[5]), http.StatusBadRequest, "end.json does not fit the 1 submissions and 0 company submits before it")
	load(target, "acme", whole, http.StatusOK, `"imported":1,"skipped":1`)
}

// TestLargeFile imports a file that is larger than the uploads of the server may be.
func TestLargeFile(t *testing.T) {
	source := servertest.New(t)
	source.Acme().Submit("letter.txt", servertest.Letter)
	target := servertest.Open(t, func(o *servertest.Options) { o.MaxUpload = 10 })
	load(target, "acme", export(source, "acme"), http.StatusRequestEntityTooLarge, "Request Too Long")
	if files := target.StoredFiles(); len(files) > 0 {
		t.Errorf("files %v", files)
	}
}

// TestBrokenUpload breaks the connection in the file of a submission: it is not imported.
func TestBrokenUpload(t *testing.T) {
	source, target := servertest.New(t), servertest.Open(t)
	source.Acme().Submit("sov.csv", statementOfValues(200))
	stream := export(source, "acme")
	cut := stream[:strings.Index(stream, "Loc #,Address")+1000]
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target.ControlURL+"/tenants/acme/archive", io.MultiReader(strings.NewReader(cut), brokenReader{}))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-tar")
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
		t.Errorf("status %d", response.StatusCode)
	}
	load(target, "acme", stream, http.StatusOK, `"imported":1`)
	if files := target.StoredFiles(); len(files) != 1 {
		t.Errorf("%d files", len(files))
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
