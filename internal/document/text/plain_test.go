package text_test

import (
	"testing"

	"understudy.example/internal/document/documenttest"
)

func TestText(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"lines", "Insured:\tAcme\r\n\r\nBroker: B", "Insured:\tAcme\n\nBroker: B\n"},
		{"windows charset", "Caf\xe9 \xa3100", "Café £100\n"},
		{"utf-16", "\xff\xfeH\x00i\x00", "Hi\n"},
		{"markdown table", "Intro\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nafter", "Intro\n[]\n  A|B|\n  1|2|\n  3|4|\nafter\n"},
		{"aligned table", "Loc   City       Value\n1     London     100\n2     Leeds      200\n", "[]\n  Loc|City|Value|\n  1|London|100|\n  2|Leeds|200|\n"},
		{"printed report", "Loc Bldg Address          St Zip   Spk  Building\n001 01   3055 Lake Dr     MI 49441  N  1,200,000\n002 01   7 Harbor Court   MI 49431       585,000\n                              TOTALS  1,785,000\n", "[]\n  Loc|Bldg|Address|St|Zip|Spk|Building|\n  001|01|3055 Lake Dr|MI|49441|N|1,200,000|\n  002|01|7 Harbor Court|MI|49431||585,000|\n                              TOTALS  1,785,000\n"},
		{"prose is no table", "This is   spaced   oddly\nand here   it goes on   and on\nwith more   text of that   kind", "This is   spaced   oddly\nand here   it goes on   and on\nwith more   text of that   kind\n"},
		{"quoted", "new\n> old\n\nOn Mon, 1 Jan 2026, A B\n<a@b.c> wrote:\nolder", "new\n> old\n\n> On Mon, 1 Jan 2026, A B\n> <a@b.c> wrote:\n> older\n"},
		{"first head is its own", "Note\nFrom: A\nSent: today\nSubject: x\ntext\nFrom: B\nSent: before\nSubject: y\nold", "Note\nFrom: A\nSent: today\nSubject: x\ntext\n> From: B\n> Sent: before\n> Subject: y\n> old\n"},
	}
	for _, tt := range tests {
		if got := documenttest.Show(documenttest.MustRead(t, "a.txt", tt.data)[0]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
