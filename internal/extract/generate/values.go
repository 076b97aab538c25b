package generate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

var monthNames = map[string][]string{
	"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	"nl": {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
}

// dateForms are the forms of dates by market, as Go layouts; {month} is the month's name, {th} its
// ordinal ending.
var dateForms = map[string][]string{
	"us": {"01/02/2006", "1/2/2006", "{month} 2, 2006", "Jan 2, 2006", "2006-01-02", "01/02/06"},
	"uk": {"02/01/2006", "2 {month} 2006", "2{th} {month} 2006", "02.01.2006", "02-Jan-2006", "2 Jan 06"},
	"de": {"02.01.2006", "2. {month} 2006", "2.1.2006", "02.01.06", "2006-01-02", "02.01.2006, 0 Uhr"},
	"fr": {"02/01/2006", "2 {month} 2006", "02.01.2006", "2{th} {month} 2006", "02-01-2006", "02/01/06"},
	"es": {"02/01/2006", "2 de {month} de 2006", "02-01-2006", "2 de {month} del 2006", "02.01.2006", "2/1/2006"},
	"nl": {"02-01-2006", "2 {month} 2006", "2-1-2006", "02/01/2006", "2006-01-02", "02.01.2006"},
}

// date writes a date in the style of the document.
func (p *paper) date(day time.Time) string {
	form := dateForms[p.market][p.dateStyle]
	ending := ""
	switch n := day.Day(); {
	case p.language == "fr" && n == 1:
		ending = "er"
	case p.language != "en":
	case n == 1 || n == 21:
		ending = "st"
	case n == 2 || n == 22:
		ending = "nd"
	case n == 3 || n == 23:
		ending = "rd"
	default:
		ending = "th"
	}
	text := day.Format(form)
	return strings.NewReplacer("{month}", monthNames[p.language][day.Month()-1], "{th}", ending).Replace(text)
}

// moneyForms are the forms of amounts by market: {n} is the grouped number, {k} thousands, {m}
// millions with up to two decimals.
var moneyForms = map[string][]string{
	"us": {"${n}", "USD {n}", "${n}.00", "US$ {n}", "${m} million|${n}"},
	"uk": {"£{n}", "GBP {n}", "£{m}m|£{k}k", "£{n}.00", "£{m} million|£{n}"},
	"de": {"{n} €", "EUR {n}", "{n},00 EUR", "{m} Mio. EUR|{n} EUR", "{k} TEUR|{n} €"},
	"fr": {"{n} €", "{n} EUR", "{n},00 €", "{m} M€|{n} €", "{m} millions d'euros|{n} euros"},
	"es": {"{n} €", "{n} EUR", "{n},00 €", "{m} millones de euros|{n} euros", "{n} euros"},
	"nl": {"€ {n}", "€ {n},-", "€ {n},00", "€ {m} miljoen|€ {n}", "EUR {n}"},
}

// money writes an amount in the style of the document. Of two forms, the first is for amounts
// of millions, and the second for others.
func (p *paper) money(units int64) string {
	large, small, two := strings.Cut(moneyForms[p.market][p.moneyStyle], "|")
	form := large
	if two && (units < 1_000_000 && !strings.Contains(large, "{k}") || units%10_000 > 0 && strings.Contains(large, "{m}") || units%1000 > 0) {
		form = small
	}
	if strings.Contains(form, "{k}") && units%1000 > 0 {
		form = strings.ReplaceAll(form, "{k}k", "{n}")
	}
	millions := strconv.FormatFloat(float64(units)/1e6, 'f', -1, 64)
	if p.language != "en" {
		millions = strings.Replace(millions, ".", ",", 1)
	}
	return strings.NewReplacer("{n}", p.grouped(units), "{k}", p.grouped(units/1000), "{m}", millions).Replace(form)
}

// grouped writes a number with the thousands separators of the market.
func (p *paper) grouped(units int64) string {
	separator := map[string]string{"en": ",", "fr": " "}[p.language]
	if separator == "" {
		separator = "."
	}
	if units < 1000 {
		return fmt.Sprint(units)
	}
	return p.grouped(units/1000) + separator + fmt.Sprintf("%03d", units%1000)
}

// mistyped returns a text with a typing error: two letters exchanged.
func (p *paper) mistyped(text string) string {
	letters := []rune(text)
	if len(letters) < 6 {
		return text
	}
	at := 2 + p.IntN(len(letters)-4)
	letters[at], letters[at+1] = letters[at+1], letters[at]
	return string(letters)
}
