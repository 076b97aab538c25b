package mail_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/mail"
)

func TestMail(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"plain", "From: a@b.c\nTo: d@e.f\nSubject: s\n\nline 1\n\nline 2\n", "line 1\n\nline 2\n"},
		{"mbox line, blank lines and bare CR", "\n\nFrom a@b.c Mon Jan 1\rFrom: a@b.c\rTo: d@e.f\rSubject: s\r\rtext\r", "text\n"},
		{"quoted-printable", "From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9 =\nau lait =ZZ\n", "café au lait =ZZ\n"},
		{"base64, damaged", "From: a@b.c\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\naGVs!\nbG8=", "hello\n"},
		{"plain text before html", multipart("alternative", "text/html\n\n<p>no</p>", "text/plain\n\nyes"), "yes\n"},
		{"html when the text is empty", multipart("alternative", "text/plain\n\n \n", "text/html\n\n<p>yes</p>"), "yes\n\n"},
		{"html when it has a table", multipart("alternative", "text/plain\n\nCity\n\nValue\n\nYear", "text/html\n\n<table><tr><td>City<td>Value<td>Year<tr><td>York<td>5<td>1990</table>"), "[]\n  City|Value|Year|\n  York|5|1990|\n"},
		{"html when the text is a notice", multipart("alternative", "text/plain\n\nSee the HTML.", "text/html\n\n<p>Insured: Foxglove Bakery Ltd, 4 Mill Lane, York</p>"), "Insured: Foxglove Bakery Ltd, 4 Mill Lane, York\n\n"},
		{"plain text when the table is a frame", multipart("alternative", "text/plain\n\nyes", "text/html\n\n<table><tr><td><td>no<td><tr><td><td><td></table>"), "yes\n"},
		{"mail below the newer one", "From: a@b.c\nTo: d@e.f\nSubject: s\n\nFYI\n\nFrom: x\nSent: y\nTo: z\nSubject: w\n\nold", "FYI\n\n> From: x\n> Sent: y\n> To: z\n> Subject: w\n> \n> old\n"},
		{"flowed", "From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain; format=flowed\n\none \ntwo\nthree", "one two\nthree\n"},
		{"no last boundary", "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\ntext without end", "text without end\n"},
	}
	for _, tt := range tests {
		parts := documenttest.MustRead(t, "a.eml", tt.data)
		if got := documenttest.Show(parts[0]); got != tt.want || parts[0].Mail == nil {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestMailHeader(t *testing.T) {
	file := "From: =?iso-8859-1?Q?Andr=E9_B?= <a@b.c>\nTo: \"Doe, Jane\" <j@d.e>,\n\tx@y.z\nCc: not an address\nSubject: =?utf-8?B?UsOpbmV3YWw=?=\n of cover\nDate: Mon, 2 Feb 2026 10:00:00 +0000\n\nx"
	want := content.Mail{From: "André B <a@b.c>", To: "Doe, Jane <j@d.e>, x@y.z", Cc: "not an address", Subject: "Rénewal of cover", Date: "Mon, 2 Feb 2026 10:00:00 +0000"}
	if got := *documenttest.MustRead(t, "a.eml", file)[0].Mail; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAttachments(t *testing.T) {
	csv := base64.StdEncoding.EncodeToString([]byte("a,b\n1,2\n"))
	file := multipart("mixed",
		"text/plain\n\nhello",
		"application/octet-stream; name=plain.csv\nContent-Transfer-Encoding: base64\n\n"+csv,
		"text/csv\nContent-Disposition: attachment; filename*=utf-8''na%C3%AFve.csv\nContent-Transfer-Encoding: base64\n\n"+csv,
		"application/pdf; name=bad.pdf\n\n%PDF-1.4 nothing",
		"message/rfc822\n\nFrom: in@n.er\nSubject: inner\nTo: a@b.c\n\ninner text")
	var got []string
	for _, p := range documenttest.MustRead(t, "a.eml", file) {
		got = append(got, fmt.Sprintf("%d %s %s %d %s", p.Depth, p.Name, p.Format, len(p.Blocks), p.Note))
	}
	want := []string{
		"0 a.eml eml 1 ",
		"1 plain.csv csv 1 ",
		"1 naïve.csv  0 same content as plain.csv: read once",
		"1 bad.pdf pdf 0 damaged PDF document",
		"1 inner eml 1 ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHostileMail(t *testing.T) {
	var open, flat, mails strings.Builder
	open.WriteString("From: a@b.c\nMIME-Version: 1.0\n")
	for i := range 10_000 {
		fmt.Fprintf(&open, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	flat.WriteString("From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n")
	for i := range 50_000 {
		fmt.Fprintf(&flat, "--b\nContent-Type: application/x; name=f%d\n\n%d\n", i, i)
	}
	for range 1000 {
		mails.WriteString("From: a@b.c\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n")
	}
	tests := []struct{ name, data, note string }{
		{"nested", open.String(), "parts nested more than 10 deep were skipped"},
		{"flat", flat.String(), "more than 1000 parts: the rest was skipped; more than 1000 files inside: the rest was skipped"},
		{"mails in mails", mails.String(), ""},
		{"folded for ever", "From: a@b.c\nMIME-Version: 1.0\nX: " + strings.Repeat("\n y", 1_000_000), ""},
		{"parameters", "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed" + strings.Repeat("; a=\"b", 100_000), ""},
	}
	for _, tt := range tests {
		parts, err := documenttest.Read(t, "a.eml", tt.data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if parts[0].Note != tt.note {
			t.Errorf("%s: got note %q, want %q", tt.name, parts[0].Note, tt.note)
		}
		if len(parts) > content.MaxParts+1 {
			t.Errorf("%s: got %d parts", tt.name, len(parts))
		}
	}
}

func FuzzMail(f *testing.F) {
	f.Add("From: a@b.c\nSubject: s\n\ntext\n> quoted\n")
	f.Add(multipart("alternative", "text/plain\n\na", "text/html\n\n<p>b</p>"))
	f.Add(multipart("mixed", "text/csv; name=a.csv\nContent-Transfer-Encoding: base64\n\nYSxiCjEsMg==", "message/rfc822\n\nFrom: x@y.z\n\ninner"))
	f.Add("From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n--x--")
	f.Fuzz(func(t *testing.T, data string) {
		documenttest.Check(t, "a.eml", data)
		if n := mail.CountEntities(data); n > mail.MaxMIMEParts+1 {
			t.Fatalf("got %d entities", n)
		}
	})
}

// multipart makes a mail of parts, each of which starts with its media type.
func multipart(kind string, parts ...string) string {
	var s strings.Builder
	s.WriteString("From: a@b.c\nTo: d@e.f\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/" + kind + "; boundary=\"=_b\"\n\npreamble\n")
	for _, p := range parts {
		s.WriteString("--=_b\nContent-Type: " + p + "\n")
	}
	return s.String() + "--=_b--\nepilogue\n"
}

// TestLongHeaderFieldIsCut checks that a field of the header keeps 64 KB at most, also if
// it is one line.
func TestLongHeaderFieldIsCut(t *testing.T) {
	subject := mail.HeaderField("From: a@b.example\nSubject: "+strings.Repeat("Re: ", 100_000)+"\n\nText", "subject")
	if len(subject) != mail.MaxFieldValue {
		t.Errorf("%d bytes, want %d", len(subject), mail.MaxFieldValue)
	}
}

// TestFormsAreParsedOnce checks that the page of a mail is parsed once, however deeply
// alternatives are nested around it.
func TestFormsAreParsedOnce(t *testing.T) {
	allocated := func(depth int) float64 {
		mail := "Content-Type: text/html\r\n\r\n" + strings.Repeat("<p>Named Insured: Foxglove</p>", 2000) + "\r\n"
		for i := range depth {
			mail = fmt.Sprintf("Content-Type: multipart/alternative; boundary=b%d\r\n\r\n--b%d\r\n%s--b%d\r\nContent-Type: text/plain\r\n\r\nsee above\r\n--b%d--\r\n", i, i, mail, i, i)
		}
		mail = "From: a@b.example\r\n" + mail
		if part := documenttest.MustRead(t, "a.eml", mail)[0]; len(part.Blocks) < 2000 {
			t.Fatalf("got %d blocks, want the page", len(part.Blocks))
		}
		return testing.AllocsPerRun(1, func() { documenttest.MustRead(t, "a.eml", mail) })
	}
	if once, eight := allocated(1), allocated(8); eight > 1.2*once {
		t.Errorf("eight levels take %v allocations, want about %v as for one", eight, once)
	}
}
