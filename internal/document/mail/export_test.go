package mail

// For the tests in package mail_test, which read whole documents.

const (
	PropSubject       = propSubject
	PropSubmitTime    = propSubmitTime
	PropHeaders       = propHeaders
	PropSenderName    = propSenderName
	PropSenderAddress = propSenderAddress
	PropSenderSMTP    = propSenderSMTP
	PropDeliveryTime  = propDeliveryTime
	PropBody          = propBody
	PropRTF           = propRTF
	PropHTML          = propHTML
	PropName          = propName
	PropAddress       = propAddress
	PropSMTP          = propSMTP
	PropRecipientType = propRecipientType
	PropData          = propData
	PropLongFileName  = propLongFileName
	PropBodyCodePage  = propBodyCodePage
	PropTextCodePage  = propTextCodePage

	MaxMIMEParts  = maxMIMEParts
	MaxFieldValue = maxFieldValue
)

var DecompressRTF = decompressRTF

// CountEntities returns the number of entities of a mail.
func CountEntities(data string) int {
	h, body := splitHeader([]byte(data))
	return (&mimeParser{}).parse(h, body, 0).count()
}

func (e *entity) count() int {
	n := 1
	for _, child := range e.children {
		n += child.count()
	}
	return n
}

// HeaderField returns the value of a field of a mail's header.
func HeaderField(data, name string) string {
	h, _ := splitHeader([]byte(data))
	return h.get(name)
}
