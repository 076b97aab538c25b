package hostile

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

const mailHead = "From: Ann Quill <ann@quill-brokers.example>\r\nSubject: New submission\r\nMIME-Version: 1.0\r\n"

// mail returns a mail with the letter, and further parts.
func mail(parts ...string) string {
	var b strings.Builder
	b.WriteString(mailHead + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + letter + "\r\n")
	for _, part := range parts {
		b.WriteString("--b\r\n" + part + "\r\n")
	}
	b.WriteString("--b--\r\n")
	return b.String()
}

// attached returns a part of a mail with a file.
func attached(filename, content string) string {
	return "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"" + filename + "\"\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(content))
}

// mails are mails.
func mails(s divisor) []Document {
	multiparts := func(n int, closed bool) func() string {
		return func() string {
			var open, end strings.Builder
			for i := range n {
				fmt.Fprintf(&open, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
				fmt.Fprintf(&end, "--b%d--\r\n", n-1-i)
			}
			text := mailHead + open.String() + "Content-Type: text/plain\r\n\r\n" + letter
			if closed {
				text += "\r\n" + end.String()
			}
			return text
		}
	}
	withHeader := func(header string) string { return mailHead + header + "\r\n\r\n" + letter }
	return []Document{
		{"eml: multiparts nested 10,000 deep", "a.eml", "", multiparts(10_000, true)},
		{"eml: multiparts nested 25 deep, not closed", "a.eml", "", multiparts(25, false)},
		{"eml: 2,000 mails within each other", "a.eml", "", func() string {
			return strings.Repeat(mailHead+"Content-Type: message/rfc822\r\n\r\n", 2_000) + withHeader("To: a@b.example")
		}},
		{"eml: 100,000 parts", "a.eml", "", func() string {
			return mail(strings.Repeat("Content-Type: text/plain\r\n\r\nInsured: A\r\n--b\r\n", many))
		}},
		{"eml: 100,000 files", "a.eml", "", func() string {
			var parts []string
			for i := range many {
				parts = append(parts, "Content-Disposition: attachment; filename=a.txt\r\n\r\n"+fmt.Sprint(i))
			}
			return mail(parts...)
		}},
		{"eml: a boundary of 1 MB", "a.eml", "", func() string {
			boundary := strings.Repeat("b", mega)
			return mailHead + "Content-Type: multipart/mixed; boundary=" + boundary + "\r\n\r\n" + strings.Repeat("--"+boundary+"\r\n\r\n"+letter, 5)
		}},
		{"eml: no boundary", "a.eml", "", withHeader("Content-Type: multipart/mixed")},
		{"eml: an empty boundary", "a.eml", "", func() string {
			return withHeader("Content-Type: multipart/mixed; boundary=\"\"") + strings.Repeat("--\r\n", s.of(many))
		}},
		{"eml: a header of 50 MB", "a.eml", "", func() string { return withHeader("X-A: " + strings.Repeat("a", 50*mega)) }},
		{"eml: 500,000 headers", "a.eml", "", func() string { return withHeader(strings.TrimSuffix(strings.Repeat("X-A: a\r\n", 500_000), "\r\n")) }},
		{"eml: 500,000 lines of a header", "a.eml", "", func() string { return withHeader("To: a" + strings.Repeat("\r\n ,b@c.example", 500_000)) }},
		{"eml: 100,000 encoded words", "a.eml", "", func() string { return withHeader("Subject: " + strings.Repeat("=?utf-8?Q?a=C3?= ", many)) }},
		{"eml: a file name of 100,000 pieces", "a.eml", "", func() string {
			var b strings.Builder
			for i := range many {
				fmt.Fprintf(&b, ";\r\n filename*%d=a", i)
			}
			return mail("Content-Type: text/plain\r\nContent-Disposition: attachment" + b.String() + "\r\n\r\nx")
		}},
		{"eml: base64 of odd characters", "a.eml", "", func() string {
			return mail("Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n" + strings.Repeat("=?*-", mega))
		}},
		{"eml: quoted-printable without characters", "a.eml", "", func() string {
			return mail("Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + strings.Repeat("=\r\n", 2*mega))
		}},
		{"eml: a page of 140,000 entries in 9 levels of forms", "a.eml", "", func() string {
			text := "Content-Type: text/html\r\n\r\n<p>Named Insured: Foxglove Bakery LLC</p>" + slowPage(s.of(140_000))
			for i := range 9 {
				text = fmt.Sprintf("Content-Type: multipart/alternative; boundary=b%d\r\n\r\n--b%d\r\n%s\r\n--b%d\r\nContent-Type: text/plain\r\n\r\nsee above\r\n--b%d--\r\n", i, i, text, i, i)
			}
			return mailHead + text
		}},
		{"eml: 40 pages of 20,000 entries", "a.eml", "", func() string {
			page := "Content-Type: text/html\r\n\r\n<p>Named Insured: Foxglove Bakery LLC</p>" + slowPage(s.of(20_000))
			return mail(slices.Repeat([]string{page}, 40)...)
		}},
		{"eml: unknown character sets", "a.eml", "", mail("Content-Type: text/plain; charset=utf-7\r\n\r\n+ACI-", "Content-Type: text/plain; charset=\"x\x00y\"\r\n\r\na", "Content-Type: text/plain; charset=ebcdic\r\n\r\nb")},
		{"eml: a bomb attached", "a.eml", "", func() string { return mail(attached("a.zip", zipped(bomb("a.txt", letter, "0", 500*mega, "")))) }},
		{"eml: 200 bombs attached", "a.eml", "", func() string {
			var parts []string
			for i := range 200 {
				parts = append(parts, attached("a.zip", zipped(bomb(fmt.Sprintf("%d.txt", i), letter, "0", s.of(9*mega), ""))))
			}
			return mail(parts...)
		}},
		{"eml: files with names outside of the mail", "a.eml", "", mail(attached("../../../etc/passwd", letter), attached("/etc/shadow", "x"), attached("a\x00b.pdf", "%PDF-1.7"))},
		{"eml: a million quoted levels", "a.eml", "", func() string {
			return withHeader("To: a@b.example") + strings.Repeat(strings.Repeat(">", 1000)+" a\r\n", 1000)
		}},
		{"eml: cut in a file", "a.eml", "", mail(attached("a.txt", letter))[:400]},
	}
}
