package console

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// faultWords returns a sentence that says what a fault does. The fault is one of the
// control API, or the JSON with which one is created.
func faultWords(fault any) string {
	one, subject := faultSubject(fault)
	var effects []string
	add := func(singular, plural string) {
		if one {
			plural = singular
		}
		effects = append(effects, plural)
	}
	if delivery := text(fault, "delivery"); delivery != "" {
		deliveryEffects(fault, add)
	} else {
		callEffects(fault, add)
	}
	sentence := subject + " " + joined(effects)
	if expires := text(fault, "expires_at"); expires != "" {
		sentence += ", until " + expires
	} else if expires := text(fault, "expires"); expires != "" {
		sentence += ", until " + expires + " have passed"
		if strings.Contains(expires, "T") {
			sentence = strings.TrimSuffix(sentence, " have passed")
		}
	}
	return sentence + "."
}

// faultSubject returns the calls or deliveries on which the fault acts, and whether it is
// one.
func faultSubject(fault any) (one bool, subject string) {
	noun, what := "call", "of "+text(fault, "route")
	if text(fault, "route") == "*" {
		what = "of any route"
	}
	if event := text(fault, "delivery"); event != "" {
		noun, what = "delivery", "of "+event
		if event == "*" {
			what = "of any event"
		}
	}
	many := noun + "s"
	if noun == "delivery" {
		many = "deliveries"
	}
	every, share := wholeNumber(fault, "every"), text(fault, "probability")
	times, limited := wholeNumber(fault, "times")-wholeNumber(fault, "acted"), text(fault, "times") != ""
	switch {
	case limited && times <= 0:
		return false, "Used up: no more " + many + " " + what
	case every > 1 && limited:
		return true, fmt.Sprintf("Every %s %s %s, %s,", ordinal(every), noun, what, counted(times, "more time"))
	case every > 1:
		return true, fmt.Sprintf("Every %s %s %s", ordinal(every), noun, what)
	case share != "" && limited:
		return false, fmt.Sprintf("%s of the %s %s, %s,", aboutPercent(share), many, what, counted(times, "more time"))
	case share != "":
		return false, fmt.Sprintf("%s of the %s %s", aboutPercent(share), many, what)
	case limited && times == 1:
		return true, "The next " + noun + " " + what
	case limited:
		return false, fmt.Sprintf("The next %d %s %s", times, many, what)
	}
	return false, "All " + many + " " + what
}

// callEffects adds what a fault does to calls, in the singular and the plural.
func callEffects(fault any, add func(singular, plural string)) {
	if delay := text(fault, "delay"); delay != "" {
		add("waits "+delay, "wait "+delay)
	}
	status := text(fault, "status")
	if at(fault, "drop") == true {
		add("loses its connection", "lose their connection")
		return
	}
	body := ""
	if given := at(fault, "body"); given != nil {
		body = " and the given body"
	}
	switch {
	case status != "":
		add("responds with status "+status+body, "respond with status "+status+body)
	case body != "" || text(fault, "delay") == "":
		add("responds with status 500"+body, "respond with status 500"+body)
	}
}

// deliveryEffects adds what a fault does to deliveries.
func deliveryEffects(fault any, add func(singular, plural string)) {
	if n := wholeNumber(fault, "duplicate"); n > 0 {
		add("is sent "+counted(n, "more time"), "are sent "+counted(n, "more time"))
	}
	if delay := text(fault, "delay"); delay != "" {
		add("is made "+delay+" later", "are made "+delay+" later")
	}
	for _, effect := range []struct{ field, singular, plural string }{
		{"reorder", "is swapped with the one after it", "are swapped with the one after each"},
		{"wrong_signature", "has a wrong signature", "have a wrong signature"},
		{"truncate", "has only the first half of its body", "have only the first half of their body"},
		{"drop", "is retried whatever the response", "are retried whatever the response"},
	} {
		if at(fault, effect.field) == true {
			add(effect.singular, effect.plural)
		}
	}
}

// joined returns the effects as a list, or the words for no effect.
func joined(effects []string) string {
	switch n := len(effects); n {
	case 0:
		return "are not changed"
	case 1:
		return effects[0]
	default:
		return strings.Join(effects[:n-1], ", ") + " and " + effects[n-1]
	}
}

// outcomeWords returns a sentence that says what an outcome does.
func outcomeWords(outcome any) string {
	var conditions []string
	match := at(outcome, "match")
	if name := text(match, "filename"); name != "" {
		condition := "file name is " + name
		if strings.Contains(name, "*") {
			condition = "file name matches " + name
		}
		conditions = append(conditions, condition)
	}
	if hash := text(match, "sha256"); hash != "" {
		conditions = append(conditions, "file has the SHA-256 "+hash[:min(len(hash), 12)]+"…")
	}
	if name := text(match, "company_name"); name != "" {
		conditions = append(conditions, "company is "+name)
	}
	var effects []string
	for _, section := range []string{"facts", "options", "packages"} {
		if values, ok := at(outcome, section).(map[string]any); ok {
			effects = append(effects, "has the given "+section+" ("+strconv.Itoa(len(values))+")")
		}
	}
	if locations, ok := at(outcome, "locations").([]any); ok {
		effects = append(effects, "has "+counted(int64(len(locations)), "given location"))
	}
	if status := text(outcome, "status"); status != "" {
		effects = append(effects, "ends as "+strings.ReplaceAll(status, "_", " "))
	}
	if after := text(outcome, "after"); after != "" {
		effects = append(effects, "takes "+after+" longer")
	}
	if len(effects) == 0 {
		effects = []string{"is processed as usual"}
	}
	return "A submission whose " + strings.Join(conditions, " and whose ") + " " + joined(effects) + "."
}

// outcomeID returns the id of the element that shows the outcome with the match.
func outcomeID(match any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{text(match, "filename"), text(match, "sha256"), strings.ToLower(text(match, "company_name"))}))
	return fmt.Sprintf("outcome-%x", sum[:8])
}

// wholeNumber returns the whole number at a key; 0 if there is none.
func wholeNumber(value any, key string) int64 {
	n, _ := json.Number(text(value, key)).Int64()
	return n
}

// counted returns a number and a noun.
func counted(n int64, noun string) string { return plural(n, noun) }

// ordinal returns 2nd for 2.
func ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = map[int64]string{1: "st", 2: "nd", 3: "rd"}[n%10]
		if suffix == "" {
			suffix = "th"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}

// aboutPercent returns a share of 1 in per cent.
func aboutPercent(share string) string {
	p, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return share
	}
	return "About " + strconv.FormatFloat(p*100, 'g', 4, 64) + " %"
}
