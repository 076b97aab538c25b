package extract_test

import (
	"testing"
)

// TestBrokerLayouts checks the broker's details in letterheads and in signatures. Each wanted value
// is written as field=value.
func TestBrokerLayouts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{
			"a signature whose firm follows the job title", `
Subject: New submission - Sorrel Lodges Ltd

Please find attached our submission for Sorrel Lodges Ltd, with a target premium of £14,000.

Kind regards,

Nora Klein
Account Executive Birch Risk Partners Leeds, UK | +44 (0)113 496 0123`,
			[]string{"broker_name=Birch Risk Partners", "broker_contact_points=Nora Klein", "risk_country=GB"},
		},
		{
			"a signature in one line", `
Please quote the attached for Sorrel Lodges Inc.

Nora Klein | Commercial Lines Broker | Birch Brokerage Group | Dayton, OH | 937.555.0142`,
			[]string{"broker_name=Birch Brokerage Group", "broker_contact_points=Nora Klein", "broker_contact_phone=937.555.0142"},
		},
		{
			"a signature in Spanish", `
Asunto: Solicitud de cotización - Talleres Roble S.L.

Solicitamos cotización para Talleres Roble S.L.

Un saludo,

Nora Klein
Ejecutiva de cuentas Correduría Abedul Valencia | 96 555 01 44`,
			[]string{"broker_name=Correduría Abedul", "broker_contact_points=Nora Klein"},
		},
		{
			"a letterhead with its address on the line of the name", `
Birch Lane Brokers
Birch Lane & Partners Ltd, 40 Mill Street, London EC3M 7AW. Authorised and regulated by the FCA.

INSURED: Sorrel Lodges Limited`,
			[]string{"broker_name=Birch Lane Brokers", "broker_address=40 Mill Street", "broker_city=London", "broker_postal_code=EC3M 7AW"},
		},
		{
			"a French letterhead, which the domain of a mail address shows", `
CABINET BOULEAU ASSURANCES
Lille, le 5 novembre 2026
12 rue Haute, 59000 Lille

Fiche de risque – Multirisque industrielle
Raison sociale : Scierie Sorrel SAS

Votre interlocutrice : Mme Nora Klein – 03 20 55 01 72 – n.klein@cabinet-bouleau.example`,
			[]string{"broker_name=CABINET BOULEAU ASSURANCES", "broker_address=12 rue Haute", "broker_city=Lille", "broker_contact_points=Nora Klein"},
		},
		{
			"an address below the broker's name and a person", `
BROKER OF RECORD:
Birch Insurance Brokers
Attn: Nora Klein
12 Main St
Dayton, OH 45402

NAMED INSURED:
Larch LLC`,
			[]string{"broker_address=12 Main St", "broker_city=Dayton", "broker_contact_points=Nora Klein"},
		},
		{
			"a post box behind a person", `
Producer: Birch Insurance Agency, Attn. Nora Klein, PO Box 733, Cleveland, MS 38732
Applicant: Larch Home Health LLC`,
			[]string{"broker_name=Birch Insurance Agency", "broker_address=PO Box 733", "broker_city=Cleveland"},
		},
		{
			"a French heading with the label of a name", `
Courtier
Nom : Cabinet Bouleau
Adresse : 12 rue Haute, 69002 Lyon

Client
Raison sociale : Scierie Mélèze SARL`,
			[]string{"broker_name=Cabinet Bouleau", "broker_address=12 rue Haute", "company_name=Scierie Mélèze SARL"},
		},
		{
			"a firm with the form of a person's name", `
Insured: Sorrel Lodges Inc
Broker: Birch Specialty
Broker contact: Nora Klein`,
			[]string{"broker_name=Birch Specialty", "broker_contact_points=Nora Klein"},
		},
		{
			"a title between the person and the firm", `
Insured: Sorrel Lodges Inc
Broker: Nora Klein, Vice President, Birch Insurance Brokers, 937-555-0142`,
			[]string{"broker_contact_points=Nora Klein", "broker_contact_phone=937-555-0142"},
		},
		{
			"a column of a grid with something else behind it", `
NAMED INSURED AND MAILING ADDRESS	AGENT
SORREL VETERINARY CLINIC INC	BIRCH AGENCY INC	AGENT CODE 26-0091
3811 2ND AVE	PO BOX 414`,
			[]string{"company_name=SORREL VETERINARY CLINIC INC", "broker_name=BIRCH AGENCY INC"},
		},
		{
			"an adviser with the firm, the telephone number and the mail address in one value", `
Antragsteller: Sorrel Hotel AG
Ihre Beraterin: Nora Klein, Birch Broker AG, Tel. 071 555 01 44, nora.klein@birchbroker.example`,
			[]string{"broker_name=Birch Broker AG", "broker_contact_points=Nora Klein", "broker_contact_phone=071 555 01 44", "broker_email=nora.klein@birchbroker.example"},
		},
		{
			"an agent behind sentences in a line", `
Insured: Sorrel Bakeries Inc

Coinsurance 80% - Agreed value does not apply. Total values of the year before: $8,100,000. Agent: Birch Agency, Dayton OH 45402.`,
			[]string{"broker_name=Birch Agency, Dayton OH 45402.", "broker_city=Dayton", "broker_postal_code=45402"},
		},
		{
			"a telephone number on two lines", `
Name of Insured: Sorrel Almonds Pty Ltd
Broker: Birch Insurance Brokers    Contact: Nora Klein    Ph: (03) 5550
1247
Signed: A. Vale`,
			[]string{"broker_contact_phone=(03) 5550 1247"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantValues(t, "a.txt", test.text, test.want, nil)
		})
	}
}
