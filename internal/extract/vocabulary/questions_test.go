package vocabulary_test

import (
	"testing"

	"understudy.example/internal/extract/vocabulary"
)

// TestQuestion compares the fields that questions ask for.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"What is the full legal name of your business?":      "company_name",
		"Who is to be insured?":                              "company_name",
		"Wie heißt Ihr Unternehmen?":                         "company_name",
		"Quelle est la raison sociale de votre entreprise ?": "company_name",
		"¿Cuál es el nombre de la empresa?":                  "company_name",
		"Hoe heet uw bedrijf?":                               "company_name",
		"Where are you based?":                               "address",
		"Wo ist der Sitz Ihres Unternehmens?":                "address",
		"Où est situé votre siège ?":                         "address",
		"¿Dónde está ubicada la empresa?":                    "address",
		"Waar is uw bedrijf gevestigd?":                      "address",
		"How many people do you employ?":                     "total_full_time_employees",
		"Wie viele Mitarbeiter beschäftigen Sie?":            "total_full_time_employees",
		"Combien de salariés employez-vous ?":                "total_full_time_employees",
		"¿Cuántos empleados tiene?":                          "total_full_time_employees",
		"Hoeveel medewerkers heeft u?":                       "total_full_time_employees",
		"When should cover start?":                           "policy_inception_date",
		"Ab wann soll die Deckung beginnen?":                 "policy_inception_date",
		"À partir de quelle date la garantie ?":              "policy_inception_date",
		"¿Desde qué fecha necesita la cobertura?":            "policy_inception_date",
		"Wanneer moet de verzekering ingaan?":                "policy_inception_date",
		"What was your turnover in the last financial year?": "annual_revenue",
		"Wie hoch war Ihr Umsatz?":                           "annual_revenue",
		"What would you like to pay?":                        "estimated_premium",
		"What are you paying now, and to whom?":              "~expiring_premium",
		"Date you want this to start / stop?":                "~period",
		"Who is your insurance broker?":                      "broker_name",
		"When were you formed?":                              "year_founded",
		"What does the company do?":                          "company_description",

		"Has any insurer declined to cover you?":           "",
		"What is the name of your landlord?":               "",
		"Name of the claimant?":                            "",
		"How many people were injured in the accident?":    "",
		"What percentage of sales is exported?":            "",
		"When was the roof of the building last replaced?": "",
		"Name of the business":                             "", // a label, not a question
	} {
		if got, _ := vocabulary.Question(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
