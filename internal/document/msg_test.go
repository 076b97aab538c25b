package document

import (
	"fmt"
	"strings"
	"testing"
)

// msgProperty is the path and the content of a text property.
func msgProperty(folder string, id int, text string) []string {
	return []string{fmt.Sprintf("%s__substg1.0_%04X001F", folder, id), wide(text)}
}

func msgBytes(folder string, id int, content string) []string {
	return []string{fmt.Sprintf("%s__substg1.0_%04X0102", folder, id), content}
}

// msgValues is the stream of the properties of fixed size, after a head.
func msgValues(folder string, head int, values ...any) []string {
	list := []any{strings.Repeat("\x00", head)}
	for i := 0; i+1 < len(values); i += 2 {
		list = append(list, uint16(3), uint16(values[i].(int)), uint32(0), uint64(values[i+1].(int)))
	}
	return []string{folder + "__properties_version1.0", little(list...)}
}

func msgOf(lists ...[]string) string {
	var pairs []string
	for _, l := range lists {
		pairs = append(pairs, l...)
	}
	return compoundOf(pairs...)
}

func TestMSG(t *testing.T) {
	// 2 February 2026, 10:00, in steps of 100 nanoseconds since 1601.
	const sent = (1_770_026_400 + 11_644_473_600) * 10_000_000
	inner := "__attach_version1.0_#00000001/__substg1.0_3701000D/"
	file := msgOf(
		msgValues("", 32, msgClientTime, sent, msgCodePage2, 1252),
		msgProperty("", msgSubject, "Renewal of cover\x00"),
		msgProperty("", msgSenderName, "Jane Doe"), msgProperty("", msgSenderSMTP, "jane@broker.example"),
		msgProperty("", msgSenderMail, "/O=EXCHANGE/CN=JANE"),
		msgProperty("", msgBody, "Please quote.\r\n\r\nFrom: Bob\r\nSent: Monday\r\nTo: Jane\r\nSubject: cover\r\nolder"),
		msgValues("__recip_version1.0_#00000000/", 8, msgRecipient, 1), msgProperty("__recip_version1.0_#00000000/", msgName, "Desk"), msgProperty("__recip_version1.0_#00000000/", msgSMTP, "desk@carrier.example"),
		msgValues("__recip_version1.0_#00000001/", 8, msgRecipient, 2), msgProperty("__recip_version1.0_#00000001/", msgMail, "al@broker.example"),
		msgValues("__attach_version1.0_#00000000/", 8), msgProperty("__attach_version1.0_#00000000/", msgFileLong, "sites.csv"), msgBytes("__attach_version1.0_#00000000/", msgData, "a,b\n1,2\n"),
		msgValues("__attach_version1.0_#00000001/", 8), msgProperty("__attach_version1.0_#00000001/", msgName, "label"),
		msgValues(inner, 24, msgDelivered, sent), msgProperty(inner, msgSubject, "Inner"), msgBytes(inner, msgHTML, "<html><meta charset=windows-1252><p>caf\xe9</p></html>"),
		msgValues(inner+"__attach_version1.0_#00000000/", 8), msgBytes(inner+"__attach_version1.0_#00000000/", msgData, "plain text"),
	)
	parts := mustRead(t, "a.msg", file)
	var got strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&got, "%d %s %s %s\n%s", p.Depth, p.Name, p.Format, p.Note, show(p))
	}
	want := "0 a.msg msg \nPlease quote.\n\n> From: Bob\n> Sent: Monday\n> To: Jane\n> Subject: cover\n> older\n" +
		"1 sites.csv csv \n[]\n  a|b|\n  1|2|\n" +
		"1 Inner msg \ncafé\n\n" +
		"2 attachment 1 txt \nplain text\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	head := Mail{From: "Jane Doe <jane@broker.example>", To: "Desk <desk@carrier.example>", Cc: "al@broker.example", Subject: "Renewal of cover", Date: "Mon, 02 Feb 2026 10:00:00 +0000"}
	if *parts[0].Mail != head {
		t.Errorf("head %+v, want %+v", *parts[0].Mail, head)
	}
}

func TestMSGForms(t *testing.T) {
	headers := msgProperty("", msgHeaders, "From: =?utf-8?Q?Andr=C3=A9?= <a@b.c>\r\nTo: d@e.f\r\nDate: Mon, 2 Feb 2026 10:00:00 +0100\r\n")
	file := msgOf(msgValues("", 32), headers, msgProperty("", msgSubject, "s"), msgBytes("", msgRTF, packRTF("{\\rtf1\\ansi\\pard one\\par two\\par}", 11)))
	part := mustRead(t, "a.msg", file)[0]
	if got := show(part); got != "one\ntwo\n" {
		t.Errorf("RTF: got %q", got)
	}
	if want := (Mail{From: "André <a@b.c>", To: "d@e.f", Subject: "s", Date: "Mon, 2 Feb 2026 10:00:00 +0100"}); *part.Mail != want {
		t.Errorf("head %+v, want %+v", *part.Mail, want)
	}
	var folder strings.Builder
	lists := [][]string{msgValues("", 32)}
	for range 5 {
		folder.WriteString("__attach_version1.0_#00000000/__substg1.0_3701000D/")
		lists = append(lists, msgValues(folder.String(), 24), msgProperty(folder.String(), msgBody, folder.String()))
	}
	parts := mustRead(t, "a.msg", msgOf(lists...))
	if last := parts[len(parts)-1]; len(parts) != 5 || last.Cause != Limit || last.Note != "nested too deeply: not read" {
		t.Errorf("%d parts, the last: %+v", len(parts), last)
	}
}
