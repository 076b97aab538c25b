package covers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
)

// chain is a list of covers in a sentence, with no other words between them than those of insurance.
type chain struct {
	first, last int // words of the sentence
	covers      []vocabulary.Match
}

// Limits of chains in sentences.
const (
	maxLight    = 3 // words between a verb that asks for covers and the covers
	maxAskedFor = 30
)

// sentenceWords holds what is known of the words of a sentence.
type sentenceWords struct {
	text  string
	words []vocabulary.Word
	keys  []string
	kinds []int
	// asks marks the last word of a request for the covers after it, and quoted the first word of a
	// phrase that says that the covers before it are to be quoted. wants is asks without the words
	// that a statement can also contain.
	asks, wants, quoted []bool
	wanted              bool // there are words in wants
	// denies marks the last word of a denial before covers. denials holds the meanings of the other
	// words of statements.
	denies  []bool
	denials []string
	// beside marks the words that a sentence of covers can contain. alone counts these and the ends of
	// requests, others the remaining unknown words.
	beside        []bool
	alone, others int
}

// requestedChains returns the covers in the sentences of a text that asks for them: "terms for Quill Ltd for
// Property", "a package quote", "Auto and GL please". If whole is true, the result also includes covers later in the
// same sentence, after other words.
func requestedChains(text string, whole bool) (found []Cover) {
	if !namesCover(text) {
		return nil
	}
	asked := false // an earlier sentence asks for something
	for _, text := range sentencesOf(text) {
		s := newSentence(text)
		listing := false // an earlier chain of the sentence is asked for
		for _, c := range s.chains() {
			if !s.isAsked(c) && !((asked && s.lists(c) || whole && listing && s.continues(c)) && !s.isDenied(c)) {
				continue
			}
			found, listing = append(found, s.named(c)...), true
		}
		asked = asked || s.requests()
	}
	return found
}

func newSentence(text string) *sentenceWords {
	s := &sentenceWords{text: text, words: vocabulary.Split(text), keys: vocabulary.Words(text)}
	if len(vocabulary.Covers().FindWords(s.keys)) == 0 {
		return s
	}
	n := len(s.keys)
	s.asks, s.wants, s.quoted, s.beside = make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)
	s.denies, s.denials = make([]bool, n), make([]string, n)
	s.kinds, _, _ = kindsOf(s.keys)
	for _, m := range vocabulary.Denials().FindWords(s.keys) {
		if m.Meaning == "with" {
			s.denials[m.Last] = m.Meaning
		} else {
			s.denials[m.First] = m.Meaning
		}
		s.denies[m.Last] = m.Meaning == "refuses" || m.Meaning == "others"
	}
	for _, m := range vocabulary.Requests().FindWords(s.keys) {
		switch m.Meaning {
		case "asks", "asks also":
			s.asks[m.Last] = !s.denies[m.Last] && !s.deniesAsk(m) // "the contract requires", "not required"
			s.wants[m.Last] = s.asks[m.Last] && m.Meaning == "asks"
			s.wanted = s.wanted || s.wants[m.Last]
		case "quoted":
			s.quoted[m.First] = true
		case "denies":
			s.denies[m.Last] = true
		}
	}
	for i, key := range s.keys {
		s.quoted[i] = s.quoted[i] || vocabulary.Requests().Means(key, "quoted") // which can also be a request
		s.beside[i] = vocabulary.Requests().Means(key, "beside")
		switch {
		case s.kinds[i] != unknown:
		case s.beside[i] || s.asks[i]:
			s.alone++
		default:
			s.others++
		}
	}
	return s
}

// deniesAsk reports whether a request is denied directly before it, or before its verb: "no pedimos seguro de".
func (s *sentenceWords) deniesAsk(m vocabulary.Match) bool {
	if m.First > 0 && s.denies[m.First-1] {
		return true
	}
	return m.Meaning == "asks also" && m.First > 1 && s.denies[m.First-2] && s.kinds[m.First-1] == unknown
}

// requests reports whether a sentence asks for something.
func (s *sentenceWords) requests() bool {
	return slices.ContainsFunc(vocabulary.Requests().FindWords(s.keys), func(m vocabulary.Match) bool { return m.Meaning == "asks" })
}

// lists reports whether a sentence begins with a chain of several covers that ends at a mark: "General
// liability and liquor liability, they also want auto".
func (s *sentenceWords) lists(c chain) bool {
	rest := strings.TrimLeft(s.text[s.words[c.last].End:], " ")
	return c.first == 0 && len(c.covers) > 1 && (rest == "" || strings.ContainsAny(rest[:1], ",.;")) && !s.inName(c)
}

// betweenAmounts reports whether an abbreviation stands between two amounts, as in "$10m xs $5m".
func (s *sentenceWords) betweenAmounts(m vocabulary.Match) bool {
	number := func(i int) bool {
		return i >= 0 && i < len(s.keys) && strings.ContainsAny(s.keys[i][:1], "0123456789")
	}
	return m.First == m.Last && len(s.keys[m.First]) <= maxUnknown && number(m.First-1) && number(m.First+1)
}

// chains returns the lists of covers of a sentence.
func (s *sentenceWords) chains() []chain {
	var all []chain
	for _, m := range vocabulary.Covers().FindWords(s.keys) {
		if n := len(all) - 1; n >= 0 && s.joined(all[n].last, m.First) {
			all[n].last = m.Last
			all[n].covers = append(all[n].covers, m)
			continue
		}
		all = append(all, chain{withTrade(s.kinds, m.First), m.Last, []vocabulary.Match{m}})
	}
	return all
}

// joined reports whether only words of insurance stand between two covers.
func (s *sentenceWords) joined(last, first int) bool {
	if strings.ContainsAny(s.text[s.words[last].End:s.words[first].Start], ".;:()") {
		return false
	}
	for i := last + 1; i < first; i++ {
		if s.kinds[i] == unknown {
			return false
		}
	}
	return true
}

// isAsked reports whether a sentence asks for the covers of a chain.
func (s *sentenceWords) isAsked(c chain) bool {
	if s.inName(c) || s.isDenied(c) {
		return false
	}
	if (s.quotedBehind(c) || s.consistsOf(c)) && !s.states(c) {
		return true
	}
	asked, wanted, light := false, false, 0
	for i := c.first - 1; i >= 0 && c.first-i <= maxAskedFor; i-- {
		if s.asks[i] {
			asked, wanted = true, s.wants[i]
			break
		}
		if s.kinds[i] == unknown {
			light++
		}
	}
	if !asked || !wanted && s.states(c) {
		return false
	}
	// A single common word, such as "property", can mean something else further away.
	return light <= maxLight && s.lower(c.first-light, c.first) || len(c.covers) > 1 || c.last > c.first || s.behindNoun(c)
}

// behindNoun reports whether a word for covers stands directly before the chain: "in den Sparten Cyber".
func (s *sentenceWords) behindNoun(c chain) bool {
	return c.first > 0 && nounAlone.MatchString(s.text[s.words[c.first-1].Start:s.words[c.first-1].End])
}

// nounAlone matches a word for covers.
var nounAlone = vocabulary.Pattern(`(?i)^{{limits.cover header}}$`)

// inName reports whether the chain is part of a name: an unknown word with a capital letter stands beside it.
func (s *sentenceWords) inName(c chain) bool {
	if n := c.last + 2; c.first == c.last && n < len(s.words) && s.capital(c.first) && c.first > 0 && s.kinds[n-1] == filler && s.kinds[n] == unknown && s.capital(n) && len(s.keys[n-1]) <= maxUnknown && s.text[s.words[n-1].End:s.words[n].Start] == " " && s.text[s.words[c.last].End:s.words[n-1].Start] == " " && s.keys[n-1] != "and" {
		return true // "Mutuelle du Nord"
	}
	if n := c.last + 1; n < len(s.words) && s.kinds[n] == unknown && s.capital(n) && strings.TrimSpace(s.text[s.words[c.last].End:s.words[n].Start]) == "" && !s.beside[n] {
		return true
	}
	n := c.first - 1
	return n >= 0 && s.kinds[n] == unknown && s.capital(n) && n > 0 && strings.TrimSpace(s.text[s.words[n].End:s.words[c.first].Start]) == "" && !possessive(s.text[s.words[n].Start:s.words[n].End])
}

// partOfName reports whether the covers that an entry names are part of a name, or are followed by a word
// such as "quote".
func partOfName(entry string) bool {
	s := newSentence(entry)
	return slices.ContainsFunc(s.chains(), func(c chain) bool { return s.inName(c) || s.quotedBehind(c) })
}

// possessive reports whether a word is the name of an owner: "Quill Ltd's".
func possessive(word string) bool {
	word = strings.ReplaceAll(word, "’", "'")
	return strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "s'")
}

// isDenied reports whether words before or after the chain say that the covers are not asked for.
func (s *sentenceWords) isDenied(c chain) bool {
	if slices.Contains(s.denies[max(c.first-maxLight, 0):c.first], true) {
		return true
	}
	for i := c.first - 1; i >= 0 && i >= c.first-maxLight && (s.kinds[i] != unknown || s.denials[i] == "former"); i-- {
		if s.denials[i] == "former" {
			return true
		}
	}
	end := s.clauseEnd(c)
	if !s.wanted {
		end = min(end+1, len(s.keys)) // "Umbrella quote: not required"
	}
	for i := c.last + 1; i < end; i++ {
		switch s.denials[i] {
		case "refuses":
			return true
		case "negates":
			if i+1 == len(s.keys) || s.kinds[i+1] != cover {
				return true
			}
		case "event":
			if i == c.last+1 {
				return true
			}
		}
	}
	return false
}

// states reports whether the words after the chain make the sentence a statement about the covers, such
// as that they are with another insurer, and no words in it ask for something.
func (s *sentenceWords) states(c chain) bool {
	if s.wanted {
		return false
	}
	for i, end := c.last+1, s.clauseEnd(c); i < end; i++ {
		switch s.denials[i] {
		case "states":
			return !s.quoted[i] // but not "are also required"
		case "with":
			if s.insurer(i + 1) {
				return true
			}
		}
	}
	return false
}

// insurer reports whether a word can begin the name of an insurer: "Quill Insurance", but not "ACORD".
func (s *sentenceWords) insurer(i int) bool {
	if i >= len(s.keys) || !s.capital(i) {
		return false
	}
	word := s.text[s.words[i].Start:s.words[i].End]
	return strings.ToUpper(word) != word
}

// clauseEnd returns the first word after the chain that no longer belongs to its clause.
func (s *sentenceWords) clauseEnd(c chain) int {
	i := c.last + 1
	for i < len(s.keys) && i-c.last <= maxAskedFor && s.denials[i] != "clause" && !strings.ContainsAny(s.text[s.words[i-1].End:s.words[i].Start], ".,;:()|-–—") {
		i++
	}
	return i
}

// quotedBehind reports whether the words after the chain say that it is to be quoted.
func (s *sentenceWords) quotedBehind(c chain) bool {
	for i := c.last + 1; i < len(s.keys); i++ {
		if s.quoted[i] {
			return true
		}
		if s.kinds[i] == unknown || strings.ContainsAny(s.text[s.words[i-1].End:s.words[i].Start], ".,;:()") && !(s.digit(i-1) && s.digit(i)) {
			return false
		}
	}
	return false
}

// digit reports whether a word begins with a digit.
func (s *sentenceWords) digit(i int) bool { return strings.ContainsAny(s.keys[i][:1], "0123456789") }

// consistsOf reports whether the sentence consists of the chain alone, apart from words such as "please":
// several covers, or one cover with such a word.
func (s *sentenceWords) consistsOf(c chain) bool {
	return s.others == 0 && (len(c.covers) > 1 && c.first == 0 || s.alone > 0)
}

// capital reports whether a word begins with a capital letter, as the words of names do, and is no
// abbreviation.
func (s *sentenceWords) capital(i int) bool {
	word := s.text[s.words[i].Start:s.words[i].End]
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && (len(word) > maxUnknown || strings.ToUpper(word) != word)
}

// lower reports whether the words begin with small letters.
func (s *sentenceWords) lower(from, to int) bool {
	for i := max(from, 0); i < to; i++ {
		if s.kinds[i] == unknown && s.capital(i) && !possessive(s.text[s.words[i].Start:s.words[i].End]) {
			return false
		}
	}
	return true
}
