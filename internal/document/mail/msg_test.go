package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/mail"
)

func TestMSG(t *testing.T) {
	// 2 February 2026, 10:00, in steps of 100 nanoseconds since 1601.
	const sent = (1_770_026_400 + 11_644_473_600) * 10_000_000
	inner := "__attach_version1.0_#00000001/__substg1.0_3701000D/"
	file := msgOf(
		msgValues("", 32, mail.PropSubmitTime, sent, mail.PropTextCodePage, 1252),
		msgProperty("", mail.PropSubject, "Renewal of cover\x00"),
		msgProperty("", mail.PropSenderName, "Jane Doe"), msgProperty("", mail.PropSenderSMTP, "jane@broker.example"),
		msgProperty("", mail.PropSenderAddress, "/O=EXCHANGE/CN=JANE"),
		msgProperty("", mail.PropBody, "Please quote.\r\n\r\nFrom: Bob\r\nSent: Monday\r\nTo: Jane\r\nSubject: cover\r\nolder"),
		msgValues("__recip_version1.0_#00000000/", 8, mail.PropRecipientType, 1), msgProperty("__recip_version1.0_#00000000/", mail.PropName, "Desk"), msgProperty("__recip_version1.0_#00000000/", mail.PropSMTP, "desk@carrier.example"),
		msgValues("__recip_version1.0_#00000001/", 8, mail.PropRecipientType, 2), msgProperty("__recip_version1.0_#00000001/", mail.PropAddress, "al@broker.example"),
		msgValues("__attach_version1.0_#00000000/", 8), msgProperty("__attach_version1.0_#00000000/", mail.PropLongFileName, "sites.csv"), msgBytes("__attach_version1.0_#00000000/", mail.PropData, "a,b\n1,2\n"),
		msgValues("__attach_version1.0_#00000001/", 8), msgProperty("__attach_version1.0_#00000001/", mail.PropName, "label"),
		msgValues(inner, 24, mail.PropDeliveryTime, sent), msgProperty(inner, mail.PropSubject, "Inner"), msgBytes(inner, mail.PropHTML, "<html><meta charset=windows-1252><p>caf\xe9</p></html>"),
		msgValues(inner+"__attach_version1.0_#00000000/", 8), msgBytes(inner+"__attach_version1.0_#00000000/", mail.PropData, "plain text"),
	)
	parts := documenttest.MustRead(t, "a.msg", file)
	var got strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&got, "%d %s %s %s\n%s", p.Depth, p.Name, p.Format, p.Note, documenttest.Show(p))
	}
	want := "0 a.msg msg \nPlease quote.\n\n> From: Bob\n> Sent: Monday\n> To: Jane\n> Subject: cover\n> older\n" +
		"1 sites.csv csv \n[]\n  a|b|\n  1|2|\n" +
		"1 Inner msg \ncafé\n\n" +
		"2 attachment 1 txt \nplain text\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	header := content.Mail{From: "Jane Doe <jane@broker.example>", To: "Desk <desk@carrier.example>", Cc: "al@broker.example", Subject: "Renewal of cover", Date: "Mon, 02 Feb 2026 10:00:00 +0000"}
	if *parts[0].Mail != header {
		t.Errorf("got header %+v, want %+v", *parts[0].Mail, header)
	}
}

func TestMSGForms(t *testing.T) {
	headers := msgProperty("", mail.PropHeaders, "From: =?utf-8?Q?Andr=C3=A9?= <a@b.c>\r\nTo: d@e.f\r\nDate: Mon, 2 Feb 2026 10:00:00 +0100\r\n")
	file := msgOf(msgValues("", 32), headers, msgProperty("", mail.PropSubject, "s"), msgBytes("", mail.PropRTF, compressRTF("{\\rtf1\\ansi\\pard one\\par two\\par}", 11)))
	part := documenttest.MustRead(t, "a.msg", file)[0]
	if got := documenttest.Show(part); got != "one\ntwo\n" {
		t.Errorf("RTF: got %q", got)
	}
	if want := (content.Mail{From: "André <a@b.c>", To: "d@e.f", Subject: "s", Date: "Mon, 2 Feb 2026 10:00:00 +0100"}); *part.Mail != want {
		t.Errorf("got header %+v, want %+v", *part.Mail, want)
	}
	var folder strings.Builder
	lists := [][]string{msgValues("", 32)}
	for range 5 {
		folder.WriteString("__attach_version1.0_#00000000/__substg1.0_3701000D/")
		lists = append(lists, msgValues(folder.String(), 24), msgProperty(folder.String(), mail.PropBody, folder.String()))
	}
	parts := documenttest.MustRead(t, "a.msg", msgOf(lists...))
	if last := parts[len(parts)-1]; len(parts) != 5 || last.Cause != content.Limit || last.Note != "nested too deeply: not read" {
		t.Errorf("got %d parts, the last %+v", len(parts), last)
	}
}

func FuzzMSG(f *testing.F) {
	f.Add("body", "<p>html</p>", compressRTF("{\\rtf1\\ansi text}", 11), "From: a@b.c", "a.txt", "data")
	f.Add("", "", "\x10\x00\x00\x00\xff\x00\x00\x00LZFu\x00\x00\x00\x00\x03\x00\x10\x00\x2f", "", "", "")
	f.Fuzz(func(t *testing.T, body, page, rtf, headers, name, data string) {
		documenttest.Check(t, "a.msg", msgOf(msgValues("", 32, mail.PropBodyCodePage, len(body)), msgProperty("", mail.PropBody, body), msgBytes("", mail.PropHTML, page), msgBytes("", mail.PropRTF, rtf), msgProperty("", mail.PropHeaders, headers),
			msgProperty("__attach_version1.0_#0/", mail.PropLongFileName, name), msgBytes("__attach_version1.0_#0/", mail.PropData, data)))
		if n := len(mail.DecompressRTF([]byte(rtf))); n > 17*len(rtf) {
			t.Fatalf("%d bytes unpacked from %d", n, len(rtf))
		}
	})
}

// msgProperty returns the path and the content of a property that is text.
func msgProperty(folder string, id int, text string) []string {
	return []string{fmt.Sprintf("%s__substg1.0_%04X001F", folder, id), documenttest.UTF16(text)}
}

// msgBytes returns the path and the content of a property that is bytes.
func msgBytes(folder string, id int, content string) []string {
	return []string{fmt.Sprintf("%s__substg1.0_%04X0102", folder, id), content}
}

// msgValues returns the stream of the properties of fixed size, after a header of
// the given size.
func msgValues(folder string, header int, values ...any) []string {
	list := []any{strings.Repeat("\x00", header)}
	for i := 0; i+1 < len(values); i += 2 {
		list = append(list, uint16(3), uint16(values[i].(int)), uint32(0), uint64(values[i+1].(int)))
	}
	return []string{folder + "__properties_version1.0", documenttest.Bytes(list...)}
}

// msgOf makes an Outlook message of properties.
func msgOf(lists ...[]string) string {
	var pairs []string
	for _, l := range lists {
		pairs = append(pairs, l...)
	}
	return documenttest.Compound(pairs...)
}
