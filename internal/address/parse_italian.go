package address

import "strings"

// italianProvinces are the codes of the Italian provinces.
var italianProvinces = keySet(`ag, al, an, ao, ap, aq, ar, at, av, ba, bg, bi, bl, bn, bo, br, bs, bt, bz, ca, cb, ce, ch, cl, cn, co, cr, cs, ct,
	cz, en, fc, fe, fg, fi, fm, fr, ge, go, gr, im, is, kr, lc, le, li, lo, lt, lu, mb, mc, me, mi, mn, mo, ms, mt, na, no, nu, or, pa, pc, pd,
	pe, pg, pi, pn, po, pr, pt, pu, pv, pz, ra, rc, re, rg, ri, rm, rn, ro, sa, si, so, sp, sr, ss, su, sv, ta, te, tn, to, tp, tr, ts, tv, ud,
	va, vb, vc, ve, vi, vr, vt, vv`)

// takeProvince removes the code of a province after an Italian city, and sets the country and the state: "36100
// Vicenza (VI)". The part must begin with a postal code. A code without brackets needs a known city.
func takeProvince(parts []string, a *Address) []string {
	n := len(parts) - 1
	words := strings.Split(parts[n], " ")
	if len(words) < 3 || len(words[0]) != 5 || !isDigits(words[0]) {
		return parts
	}
	last := words[len(words)-1]
	code := strings.TrimSuffix(strings.TrimPrefix(last, "("), ")")
	if len(code) != 2 || !isUpper(code) || !italianProvinces[fold(code)] {
		return parts
	}
	city := strings.Join(words[1:len(words)-1], " ")
	_, known := cityIn(Key(city), "IT", "")
	if bracketed := len(last) == len(code)+2; hasDigit(city) || !known && (!bracketed || IsStreet(city) && n == 0) {
		return parts
	}
	if !known && IsCity(city, "") {
		return parts // "18001 Granada (GR)"
	}
	if zip, ok := findZIP(words[0]); ok && zip.state == code {
		return parts // "95240 Lodi CA"
	}
	a.setCountry("IT")
	a.State = code
	return replacePart(parts, n, words[0]+" "+city)
}
