package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// risk is what a document is about: invented companies, a policy and locations.
type risk struct {
	market, language               string
	insured, broker, insurer       party
	founded, staff, months         int
	revenue, premium, priorPremium int64
	inception, end, written        time.Time
	product, work, fein            string
	covers                         []string // requested
	declined                       []string // offered on the form but not requested
	sites                          []site
}

// party is a company and one of its people.
type party struct {
	name, street, city, state, zip string
	first, last, phone, site       string
}

func (p party) person() string { return p.first + " " + p.last }
func (p party) email() string {
	return plain(p.first) + "." + plain(p.last) + "@" + strings.TrimPrefix(p.site, "www.")
}

// site is a location with its values.
type site struct {
	street, city, state, zip       string
	building, contents, stock, bi  int64
	construction, use, sprinklered string
	built                          int
}

var countries = map[string]map[string]string{ // by market: the name in the language of the market, and the code
	"us": {"name": "United States", "code": "US"}, "uk": {"name": "United Kingdom", "code": "GB"}, "de": {"name": "Deutschland", "code": "DE"},
	"fr": {"name": "France", "code": "FR"}, "es": {"name": "España", "code": "ES"}, "nl": {"name": "Nederland", "code": "NL"},
}

// one returns a random element.
func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// some returns between least and most random elements, each once, and the others.
func some(r *rand.Rand, list []string, least, most int) (chosen, others []string) {
	n := least + r.IntN(most-least+1)
	for i, at := range r.Perm(len(list)) {
		if i < n {
			chosen = append(chosen, list[at])
		} else {
			others = append(others, list[at])
		}
	}
	return chosen, others
}

// newRisk draws a risk. English risks are as frequent as all others.
func newRisk(r *rand.Rand) risk {
	market := one(r, []string{"us", "us", "us", "uk", "uk", "de", "fr", "es", "nl"})
	k := risk{market: market, language: map[string]string{"us": "en", "uk": "en"}[market]}
	if k.language == "" {
		k.language = market
	}
	draw := func(kind string) string { return one(r, markets[[2]string{market, kind}]) }
	k.insured = newParty(r, market, strings.ReplaceAll(draw("stem")+" "+draw("trade")+" "+draw("suffix"), " ,", ","))
	k.broker = newParty(r, market, draw("broker"))
	k.insurer = newParty(r, market, draw("insurer"))
	k.founded, k.staff, k.months = 1925+r.IntN(95), 4+r.IntN(600), one(r, []int{12, 18, 24, 36})
	k.revenue = int64(10+r.IntN(900)) * 100_000
	k.premium = int64(20+r.IntN(900)) * 250
	k.priorPremium = k.premium + int64(1+r.IntN(40))*125
	k.inception = time.Date(2026+r.IntN(2), time.Month(1+r.IntN(12)), one(r, []int{1, 1, 1, 15, 1 + r.IntN(28)}), 0, 0, 0, 0, time.UTC)
	k.end = k.inception.AddDate(1, 0, 0)
	if market != "us" {
		k.end = k.end.AddDate(0, 0, -r.IntN(2))
	}
	k.written = k.inception.AddDate(0, 0, -20-r.IntN(70))
	k.product, k.work = draw("product"), draw("work")
	k.fein = fmt.Sprintf("%02d-%07d", 10+r.IntN(80), 1_000_000+r.IntN(9_000_000))
	covers, others := some(r, markets[[2]string{market, "cover"}], 2, 5)
	k.covers, k.declined = covers, others[:min(3, len(others))]
	for range 2 + r.IntN(9) {
		k.sites = append(k.sites, newSite(r, market, k.language))
	}
	return k
}

func newParty(r *rand.Rand, market, name string) party {
	p := party{name: name, first: one(r, markets[[2]string{market, "first"}]), last: one(r, markets[[2]string{market, "last"}])}
	p.street, p.city, p.state, p.zip = newAddress(r, market)
	p.site = "www." + plain(name) + map[string]string{"us": ".com", "uk": ".co.uk", "de": ".de", "fr": ".fr", "es": ".es", "nl": ".nl"}[market]
	n := r.IntN(100)
	p.phone = map[string]string{
		"us": fmt.Sprintf("(%d) 555-01%02d", 201+r.IntN(700), n), "uk": fmt.Sprintf("01%d 496 0%03d", 200+r.IntN(700), 100+n),
		"de": fmt.Sprintf("0%d 90098-%03d", 30+r.IntN(60), 100+n), "fr": fmt.Sprintf("01 99 00 %02d %02d", r.IntN(100), n),
		"es": fmt.Sprintf("91 555 %02d %02d", r.IntN(100), n), "nl": fmt.Sprintf("0%d 555 01%02d", 20+r.IntN(50), n),
	}[market]
	return p
}

func newAddress(r *rand.Rand, market string) (street, city, state, zip string) {
	place := strings.Split(one(r, markets[[2]string{market, "place"}]), "/")
	name, number := one(r, markets[[2]string{market, "street"}]), strconv.Itoa(2+r.IntN(180))
	street = number + " " + name
	switch market {
	case "us":
		street = strconv.Itoa(100+r.IntN(9800)) + " " + name
	case "de", "es", "nl":
		street = name + " " + number
	}
	return street, place[0], place[1], place[2]
}

func newSite(r *rand.Rand, market, language string) site {
	s := site{construction: one(r, markets[[2]string{market, "build"}]), use: one(r, markets[[2]string{market, "use"}]), built: 1950 + r.IntN(74)}
	s.street, s.city, s.state, s.zip = newAddress(r, market)
	s.building = int64(10+r.IntN(900)) * 25_000
	s.contents = int64(4+r.IntN(300)) * 15_000
	s.stock = int64(r.IntN(200)) * 10_000
	s.bi = int64(3+r.IntN(300)) * 20_000
	s.sprinklered = phrases[[2]string{language, one(r, []string{"yes", "no"})}][0]
	return s
}

// plain returns the letters of a name as in a domain.
func plain(name string) string {
	name = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ó", "o", "á", "a", "í", "i", "ú", "u", "ô", "o", "ñ", "n").Replace(strings.ToLower(name))
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, name)
	return name[:min(len(name), 22)]
}
