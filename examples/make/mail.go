package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
)

const (
	mailHead = `From: Broker desk <desk@pellbridge.example>
To: Property submissions <submissions@underwriting.example>
Subject: New submission: Quillfeather Furniture Works, Inc. - Commercial Property - eff. 07/01/2026
Date: Mon, 02 Mar 2026 09:05:00 -0600
Message-ID: <20260302150500.0001@pellbridge.example>
MIME-Version: 1.0
`

	mailText = `Good morning,

Please find below and attached a new submission for our client, Quillfeather Furniture Works, Inc. We would be glad to have your terms by March 20.

Named insured: Quillfeather Furniture Works, Inc.
Mailing address: 410 Larkspur Mill Road, Grand Rapids, MI 49503
Website: www.quillfeather.example
Phone: (616) 555-0118
Year established: 1987
Annual revenue: $48,500,000
Full-time employees: 212
Description of operations: Manufacturer of wood household furniture, with its own finishing shop, three warehouses and two showrooms.

Line of business: Commercial Property
Coverages requested: Building, Contents, Stock, Business income
Policy period: 07/01/2026 to 07/01/2027
Limit of liability: $75,000,000
Target premium: $212,500
Indemnity period: 12 months

The buildings, their protection and the values are in the attached statement of values. There were no losses above $25,000 in the last five years.

Kind regards,

Broker desk
Pellbridge Insurance Brokers, LLC
88 Candlewick Street, Suite 300
Chicago, IL 60606
Phone: (312) 555-0147
desk@pellbridge.example
`

	workbookName = "Quillfeather SOV 2026.xlsx"
	boundary     = "=_pellbridge_0001"
)

// submission returns a broker's mail with the statement of values attached.
func submission() ([]byte, error) {
	sheet, err := workbook()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(crlf(mailHead))
	fmt.Fprintf(&out, "Content-Type: multipart/mixed; boundary=\"%s\"\r\n\r\n", boundary)
	parts := multipart.NewWriter(&out)
	if err := parts.SetBoundary(boundary); err != nil {
		return nil, err
	}
	text, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {"text/plain; charset=utf-8"},
		"Content-Transfer-Encoding": {"quoted-printable"},
	})
	if err != nil {
		return nil, err
	}
	quoted := quotedprintable.NewWriter(text)
	if _, err := io.WriteString(quoted, crlf(mailText)); err != nil {
		return nil, err
	}
	if err := quoted.Close(); err != nil {
		return nil, err
	}
	attachment, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {`application/vnd.openxmlformats-officedocument.spreadsheetml.sheet; name="` + workbookName + `"`},
		"Content-Disposition":       {`attachment; filename="` + workbookName + `"`},
		"Content-Transfer-Encoding": {"base64"},
	})
	if err != nil {
		return nil, err
	}
	const width = 76
	for encoded := base64.StdEncoding.EncodeToString(sheet); encoded != ""; {
		line := encoded[:min(width, len(encoded))]
		encoded = encoded[len(line):]
		fmt.Fprintf(attachment, "%s\r\n", line)
	}
	err = parts.Close()
	return out.Bytes(), err
}

// crlf converts the line endings to those of a mail.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
