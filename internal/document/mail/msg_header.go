package mail

import (
	"strings"
	"time"

	"understudy.example/internal/document/content"
)

// mail returns the header of the message: the properties that the mail program
// of its sender wrote, completed by the header that it was sent with.
func (o *msgObject) mail() *content.Mail {
	h, _ := splitHeader([]byte(o.text(propHeaders)))
	sent := h.mail()
	m := &content.Mail{Subject: o.line(propSubject, propNormalizedSubject), From: o.from(), Date: sent.Date}
	m.To, m.Cc = o.recipients()
	for _, field := range []struct {
		value     *string
		fallbacks []string
	}{
		{&m.Subject, []string{sent.Subject}},
		{&m.Date, []string{o.date()}},
		{&m.To, []string{sent.To, o.line(propTo)}},
		{&m.Cc, []string{sent.Cc, o.line(propCc)}},
	} {
		for _, s := range field.fallbacks {
			if *field.value == "" {
				*field.value = s
			}
		}
	}
	if !strings.Contains(m.From, "@") && sent.From != "" {
		m.From = sent.From
	}
	return m
}

// recipients returns the lists of recipients and of those who received a copy.
// Blind copies are left out.
func (o *msgObject) recipients() (to, cc string) {
	var toList, ccList []string
	for _, recipient := range o.children("__recip_version1.0") {
		if len(toList)+len(ccList) > 1000 {
			break
		}
		r := openObject(o.file, recipient, otherObjectHeader, o.encoding)
		person := address(r.line(propName), r.line(propSMTP, propAddress))
		switch uint32(r.values[propRecipientType]) {
		case 2:
			ccList = append(ccList, person)
		case 3: // a blind copy
		default:
			toList = append(toList, person)
		}
	}
	return strings.Join(toList, ", "), strings.Join(ccList, ", ")
}

func (o *msgObject) from() string {
	return address(o.line(propSenderName, propOnBehalfName), o.line(propSenderSMTP, propOnBehalfSMTP, propSenderAddress))
}

// address joins a name and a mail address. It drops the addresses of Exchange
// servers, which mean nothing outside of them.
func address(name, mail string) string {
	if !strings.Contains(mail, "@") {
		mail = ""
	}
	name = strings.Trim(name, `'" `)
	switch {
	case mail == "":
		return name
	case name == "" || strings.EqualFold(name, mail):
		return mail
	}
	return name + " <" + mail + ">"
}

// date returns the time of sending, else of delivery. Both are stored as a number
// of 100 nanoseconds since 1601.
func (o *msgObject) date() string {
	for _, id := range []int{propSubmitTime, propDeliveryTime} {
		if ticks := int64(o.values[id]); ticks > 0 {
			at := time.Unix(ticks/1e7-11_644_473_600, 0).UTC()
			if year := at.Year(); year > 1970 && year < 2200 {
				return at.Format(time.RFC1123Z)
			}
		}
	}
	return ""
}
