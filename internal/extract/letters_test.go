package extract

import (
	"testing"

	"understudy.example/internal/document/content"
)

func TestLetter(t *testing.T) {
	e := understand(t, text("letter.txt", `Solent Insurance Brokers Ltd

Portsmouth, 6 April 2026

To: Property underwriting
Re: Albion Marine Fabrications Limited - request for a property quotation

Dear Underwriters,

Insured: Albion Marine Fabrications
Limited
Coverages requested: Building, Business personal property,
Stock, Business income

Yours faithfully,
Marine team
Solent Insurance Brokers Ltd
3 High Street
Portsmouth
PO1 2AB
`))
	checkStated(t, e, map[string]string{
		"document_date": "2026-04-06", "form_submission_type": "Quote", "company_name": "Albion Marine Fabrications Limited",
		"coverage": "Building; Business personal property; Stock; Business income", "broker_contact_points": "Marine team",
		"broker_address": "3 High Street", "broker_city": "Portsmouth", "broker_postal_code": "PO1 2AB",
	})
}

func TestNoLetter(t *testing.T) {
	e := understand(t, text("notes.txt", "Minutes\n\n6 April 2026\n\nThe board met in Leeds.\n"))
	checkStated(t, e, map[string]string{"document_date": ""})
}

func mailed(subject, body string) content.Part {
	part := text("mail.eml", body)
	part.Format = content.EML
	part.Mail = &content.Mail{From: "Desk <desk@calderbrokers.example>", Subject: subject, Date: "Tue, 5 May 2026 10:00:00 -0500"}
	return part
}

// TestSenderOfBrokersDomain checks that the sender of a mail is the broker's contact if the domain is a
// broker's, even if it begins with the first word of the insured's name.
func TestSenderOfBrokersDomain(t *testing.T) {
	for from, want := range map[string]map[string]string{
		"Ada Quill <ada@quillbrokers.example>": {"broker_contact_points": "Ada Quill", "broker_email": "ada@quillbrokers.example", "contact_name": "", "email_id": ""},
		"Ada Quill <ada@quillpens.example>":    {"broker_contact_points": "", "contact_name": "Ada Quill", "email_id": "ada@quillpens.example"},
	} {
		part := mailed("New submission", "Insured: Quill Pens Ltd\n\nPlease quote property.\n\nRegards\nAda Quill\n")
		part.Mail.From = from
		checkStated(t, understand(t, part), want)
	}
}

func TestMailDatesItsAttachments(t *testing.T) {
	e := understand(t, mailed("Renewal", "See attached."), sheet("SOV", "Values as of: | 02/15/2026"), text("form.txt", "Date: 03/01/2026"))
	checkStated(t, e, map[string]string{"document_date": "2026-05-05"})
}

func TestSubjects(t *testing.T) {
	for subject, want := range map[string]string{
		"Google Account password changed":                "",
		"Lunch on Friday - Blue Door Cafe":               "",
		"Redwood Timber Products LLC":                    "Redwood Timber Products LLC",
		"New Submission - Redwood Timber - eff 07/01/26": "Redwood Timber",
		"Renewal: Redwood Timber":                        "Redwood Timber",
	} {
		e := understand(t, mailed(subject, "Hello."))
		if got := stated(e.Facts, "company_name"); got != want {
			t.Errorf("%q: company_name %q, want %q", subject, got, want)
		}
	}
}

func TestNoReply(t *testing.T) {
	part := mailed("Notice", "Your renewal is due.\n\nRegards,\nThe Accounts team\n")
	part.Mail.From = "Accounts <no-reply@accounts.example>"
	checkStated(t, understand(t, part), map[string]string{"broker_email": "", "email_id": "", "broker_contact_points": ""})
}

// TestMailEndsWithClosing checks mails in which nothing follows the closing.
func TestMailEndsWithClosing(t *testing.T) {
	for _, ending := range []string{"Regards,", "Thank you,\n\n-----Original Message-----"} {
		part := text("mail.eml", "Named Insured: Acme Widgets LLC\n\n"+ending)
		part.Mail = &content.Mail{From: "Desk <desk@calderbrokers.example>", To: "uw@carrier.example", Subject: "Submission"}
		checkStated(t, understand(t, part), map[string]string{"company_name": "Acme Widgets LLC", "broker_email": "desk@calderbrokers.example"})
	}
}
