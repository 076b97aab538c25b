package text_test

import (
	"testing"

	"understudy.example/internal/document/documenttest"
)

func TestHTML(t *testing.T) {
	page := `<html><head><title>no</title><style>p{} .off, .gone { color: red; display : none } @media print { .shown { display:none } }</style></head><body><p>One <b>two</b></p><div style="display:none">hidden</div><p class="small gone">hidden</p><p class="shown"></p><p hidden>hidden</p>
		<table><tr><th>A</th><th colspan=2>B</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5<br>6</td></tr></table>
		<table><tr><td>layout</td><td>cell</td></tr></table>
		<blockquote>older</blockquote></body></html>`
	want := "One two\n\n[]\n  A|B|<|\n  1|2|3|\n  <|4|5/6|\nlayout\tcell\n> older\n> \n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.html", page)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHTMLControls checks that the values filled in and the options chosen in a form are text, and
// that hidden values are not.
func TestHTMLControls(t *testing.T) {
	page := `<p>Insured <input value="Quill Pens Ltd"><INPUT TYPE="HIDDEN" VALUE="token"></p><p>Cover <input type=checkbox checked>Fire <input type=checkbox>Flood</p>
		<p>Country <select><option>France</option><optgroup label="UK"><option>Wales</option><option selected>Scotland</option></optgroup></select></p>`
	want := "Insured Quill Pens Ltd\n\nCover ☒ Fire ☐ Flood\n\nCountry Scotland\n\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.html", page)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHTMLLabels checks that a label and its value are separate if only a style sheet separates them, and that words in several
// styles are not.
func TestHTMLLabels(t *testing.T) {
	page := `<div><span class="k">Website</span><span>quill.example</span></div><li> <b>Founded</b><span>1980</span> </li>
		<div><span class="a">Qu</span><span class="a">ill</span></div><p><span class="a">Qu</span><span>ill</span></p><div>One <b>two</b><i>three</i></div>`
	want := "Website\tquill.example\nFounded\t1980\nQuill\nQuill\n\nOne twothree\n"
	if got := documenttest.Show(documenttest.MustRead(t, "a.html", page)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
