package parse

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// FirmOf returns the name in the domain of an address, or "" for a free mail provider.
func FirmOf(address string) string {
	_, domain, _ := strings.Cut(strings.ToLower(address), "@")
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		return ""
	}
	name := labels[len(labels)-2]
	if len(labels) > 2 && (name == "co" || name == "com" || name == "org") {
		name = labels[len(labels)-3]
	}
	if vocabulary.Set("domains.free mail")[name] {
		return ""
	}
	return name
}

// FitsDomain reports whether the domain of an address contains a firm's name.
func FitsDomain(name, address string) bool {
	domain, key := FirmOf(address), Unaccented(NameKey(name))
	if domain == "" || len(key) < 3 {
		return false
	}
	if partsInName(domain, name) || isWordOf(domain, name) {
		return true
	}
	domain = words.BareKey(domain)
	if strings.HasPrefix(key, domain) || strings.HasPrefix(domain, key) {
		return true
	}
	var initials strings.Builder
	fields := strings.Fields(words.Spread(name))
	for _, w := range fields {
		if !IsLegalForm(w) && w != "and" {
			initials.WriteString(w[:1])
		}
	}
	return len(initials.String()) > 2 && strings.HasPrefix(domain, initials.String()) || len(fields) > 0 && len(fields[0]) > 3 && strings.HasPrefix(domain, fields[0])
}

// IsDomainOf reports whether the domain of an address consists of the beginning of a name, or begins with the whole name
// without its legal form.
func IsDomainOf(name, address string) bool {
	domain := words.BareKey(FirmOf(address))
	if domain == "" || partsInName(FirmOf(address), name) {
		return domain != ""
	}
	for _, written := range []string{name, strings.ReplaceAll(name, "&", " ")} { // "quillfarr" for "Quill & Farr"
		if key := Unaccented(NameKey(written)); key != "" && (strings.HasPrefix(key, domain) || strings.HasPrefix(domain, key)) {
			return true
		}
	}
	return false
}

// FitsInsured reports whether the domain of an address is that of the insured with the name. The domain of a
// broker, such as "quillbrokers", may begin with the same word as the insured's name.
func FitsInsured(name, address string) bool {
	return FitsDomain(name, address) && (!BrokersDomain(address) || HasBrokersWord(name))
}

// BrokersDomain reports whether the domain of an address contains a word of brokers.
func BrokersDomain(address string) bool {
	domain := FirmOf(address)
	return domain != "" && slices.ContainsFunc(vocabulary.Terms("firms.broker"), func(term string) bool {
		return len(term) >= minDomainWord && !strings.Contains(term, " ") && strings.Contains(domain, Unaccented(strings.ToLower(term)))
	})
}

const minDomainWord = 6 // bytes of a word that is searched within a domain

// partsInName reports whether a domain with hyphens consists of words of the name, in the same order:
// "correduria-quill" for "Correduría de Seguros Quill".
func partsInName(domain, name string) bool {
	parts := strings.Split(domain, "-")
	if len(parts) < 2 {
		return false
	}
	next := 0
	for w := range strings.FieldsSeq(Unaccented(words.Spread(name))) {
		if next < len(parts) && (w == parts[next] || len(parts[next]) >= minDomainPart && strings.HasSuffix(w, parts[next])) {
			next++
		}
	}
	return next == len(parts)
}

// minDomainPart is the minimum length in bytes of a part of a domain that can be the end of a word, such as "makler" in
// "Versicherungsmakler".
const minDomainPart = 6

// isWordOf reports whether a domain is a word of a name. Words that occur in the names of many firms do not count.
func isWordOf(domain, name string) bool {
	if len(domain) < minWholeWord {
		return false
	}
	for w := range strings.FieldsSeq(Unaccented(words.Spread(name))) {
		if w == domain {
			return !IsLegalForm(w) && !vocabulary.Set("firms.name end")[w] && !vocabulary.Set("firms.name start")[w] && !vocabulary.Set("firms.broker")[w]
		}
	}
	return false
}

const minWholeWord = 6 // minimum length in bytes of a domain that is a word of a name

// Unaccented replaces letters with accents by those that mail addresses have.
func Unaccented(text string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII {
			return r
		}
		if at := strings.IndexRune(accented, r); at >= 0 {
			return rune(plain[len([]rune(accented[:at]))])
		}
		return r
	}, text)
}

const (
	accented = "áàâäãåçéèêëíìîïñóòôöõøúùûüýß"
	plain    = "aaaaaaceeeeiiiinoooooouuuuys"
)
