package text

import "testing"

// TestQuickChecks checks that the quick checks accept all that the patterns match.
func TestQuickChecks(t *testing.T) {
	for _, line := range []string{
		"-----Original Message-----", "____ Forwarded message", "* -- weitergeleitete Nachricht", ">_- Original Appointment", "Begin forwarded message:", "begin forwarded message:",
	} {
		if !olderMail.MatchString(line) || !mayBeOlderMail(line) {
			t.Errorf("%q: the pattern says %t, the check %t", line, olderMail.MatchString(line), mayBeOlderMail(line))
		}
	}
	for _, line := range []string{"From: A", "* \t*from : A", "\f\rVon: A", "von: A", "De: A", " de: A"} {
		if !fromField.MatchString(line) || !mayBeFromField(line) {
			t.Errorf("%q: the pattern says %t, the check %t", line, fromField.MatchString(line), mayBeFromField(line))
		}
	}
	for _, line := range []string{"", "Named Insured: Quill and Sons", "* Building: 12 - 14 Mill Street", "Sent: Monday"} {
		if mayBeOlderMail(line) || mayBeFromField(line) {
			t.Errorf("%q is examined with the patterns", line)
		}
	}
}
