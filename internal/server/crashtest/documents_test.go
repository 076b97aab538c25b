//go:build linux

package crashtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"understudy.example/internal/document/documenttest"
)

// document is a file to submit.
type document struct {
	filename string
	content  []byte
	good     bool   // it can be read
	company  string // that the report names; "" if the file names none
}

func (d document) sha256() string {
	digest := sha256.Sum256(d.content)
	return hex.EncodeToString(digest[:])
}

// newDocument returns a document of any format that names a company of its own. About
// one in six is bad.
func (r *run) newDocument(random *rand.Rand) document {
	company := r.newCompany()
	facts := []string{"Named Insured: " + company, "Mailing Address: 12 Mill Street, Springfield, IL 62701", "Effective Date: 04/01/2026"}
	switch random.IntN(12) {
	case 0:
		return document{filename: "unknown.bin", content: []byte(strings.Repeat("\x00\x01\xfe"+company, 20))}
	case 1:
		return document{filename: "broken.pdf", content: []byte("%PDF-1.7\n%%EOF " + company)}
	case 2, 3:
		return document{"page.html", []byte("<html><body><p>" + strings.Join(facts, "</p><p>") + "</p></body></html>"), true, company}
	case 4, 5:
		return document{"message.eml", []byte("From: broker@example.com\r\nTo: underwriter@example.com\r\nSubject: Submission\r\n" +
			"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.Join(facts, "\r\n") + "\r\n"), true, company}
	case 6:
		return document{"schedule.csv", []byte("Named Insured,Address,City,State,Zip,Building Value\n" +
			company + ",12 Mill Street,Springfield,IL,62701,250000\n"), true, company}
	case 7:
		return document{"letter.rtf", []byte(`{\rtf1\ansi ` + strings.Join(facts, `\par `) + `\par}`), true, company}
	case 8:
		return document{"letter.docx", []byte(documenttest.Zip(r.t,
			"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
			"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>`+
				strings.Join(facts, `</w:t></w:r></w:p><w:p><w:r><w:t>`)+`</w:t></w:r></w:p></w:body></w:document>`)), true, company}
	}
	return document{"letter.txt", []byte(strings.Join(facts, "\n") + "\n"), true, company}
}

// longDocument returns a document that takes about a second to parse.
func (r *run) longDocument() document {
	company := r.newCompany()
	var b strings.Builder
	fmt.Fprintf(&b, "Named Insured: %s\nMailing Address: 12 Mill Street, Springfield, IL 62701\n", company)
	for i := range 9000 {
		fmt.Fprintf(&b, "Paragraph %d of the general conditions applies to every building on the schedule of the policy.\n", i)
	}
	return document{"conditions.txt", []byte(b.String()), true, company}
}

// newCompany returns the name of a company that no other document of the run names.
func (r *run) newCompany() string {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	name := []byte{}
	for n := r.documents.Add(1); n > 0; n /= int64(len(consonants) * len(vowels)) {
		name = append(name, consonants[n%int64(len(consonants))], vowels[n/int64(len(consonants))%int64(len(vowels))])
	}
	return "Fox" + string(name) + " Bakery LLC"
}
