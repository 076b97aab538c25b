package glyph

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// names maps the standard names of glyphs to text.
var names = map[string]string{
	"space": " ", "exclam": "!", "quotedbl": `"`, "numbersign": "#", "dollar": "$", "percent": "%", "ampersand": "&", "quotesingle": "'",
	"parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+", "comma": ",", "hyphen": "-", "minus": "-", "period": ".", "slash": "/",
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"colon": ":", "semicolon": ";", "less": "<", "equal": "=", "greater": ">", "question": "?", "at": "@", "bracketleft": "[", "backslash": `\`,
	"bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`", "braceleft": "{", "bar": "|", "braceright": "}", "asciitilde": "~",
	"quoteleft": "‘", "quoteright": "’", "quotedblleft": "“", "quotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„",
	"endash": "–", "emdash": "—", "bullet": "•", "ellipsis": "…", "dagger": "†", "daggerdbl": "‡", "perthousand": "‰", "fraction": "/",
	"guilsinglleft": "‹", "guilsinglright": "›", "guillemotleft": "«", "guillemotright": "»", "sterling": "£", "Euro": "€", "euro": "€", "yen": "¥",
	"cent": "¢", "currency": "¤", "section": "§", "paragraph": "¶", "copyright": "©", "registered": "®", "trademark": "™", "degree": "°",
	"plusminus": "±", "mu": "µ", "periodcentered": "·", "onehalf": "½", "onequarter": "¼", "threequarters": "¾", "onesuperior": "¹",
	"twosuperior": "²", "threesuperior": "³", "multiply": "×", "divide": "÷", "exclamdown": "¡", "questiondown": "¿", "germandbls": "ß",
	"ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "oslash": "ø", "Oslash": "Ø", "eth": "ð", "Eth": "Ð", "thorn": "þ", "Thorn": "Þ", "lslash": "ł",
	"Lslash": "Ł", "dotlessi": "ı", "dcroat": "đ", "Dcroat": "Đ", "fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "nbspace": " ",
	"nonbreakingspace": " ", "sfthyphen": "-", "softhyphen": "-", "logicalnot": "¬", "ordfeminine": "ª", "ordmasculine": "º", "brokenbar": "¦",
	".notdef": "", "macron": "¯", "acute": "´", "dieresis": "¨", "cedilla": "¸", "circumflex": "ˆ", "tilde": "˜", "lessequal": "≤", "greaterequal": "≥",
}

// accents maps the endings of names such as "eacute" to combining characters.
var accents = map[string]string{
	"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c", "cedilla": "\u0327", "commaaccent": "\u0327", "ogonek": "\u0328",
}

// Text returns the text of the glyph of a name, and whether it is known.
func Text(name string) (string, bool) {
	if text, ok := names[name]; ok {
		return text, true
	}
	base, _, _ := strings.Cut(name, ".")
	if text, ok := names[base]; ok {
		return text, true
	}
	if len(base) == 1 {
		return base, true
	}
	// uni20AC has four digits, u1F600 up to six.
	for _, form := range []struct {
		prefix string
		digits int
	}{{"uni", 4}, {"u", 6}} {
		if digits, ok := strings.CutPrefix(base, form.prefix); ok && len(digits) >= 4 {
			if n, err := strconv.ParseUint(digits[:min(len(digits), form.digits)], 16, 32); err == nil {
				return string(rune(n)), true
			}
		}
	}
	if len(base) > 1 {
		if accent, ok := accents[base[1:]]; ok {
			return norm.NFC.String(base[:1] + accent), true
		}
	}
	return "", false
}
