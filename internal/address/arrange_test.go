package address

import "testing"

func TestArrange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Gutenbergring 27 22848 Norderstedt":              "Gutenbergring 27, 22848 Norderstedt",
		"7 rue de la Meunerie 08000 Charleville-Mézières": "7 rue de la Meunerie, 08000 Charleville-Mézières",
		"Avda. del Puerto, 118 - 36980 O Grove":           "Avda. del Puerto, 118, 36980 O Grove",
		"3491 Elsarn, Kremser Zeile 5":                    "Kremser Zeile 5, 3491 Elsarn",
		"9080 County Road 4532 Summerdale":                "9080 County Road 4532 Summerdale",
		"4500 North Main Street, Omaha, NE 68107":         "4500 North Main Street, Omaha, NE 68107",
		"1022 Murfreesboro Pike, Nashville TN 37217":      "1022 Murfreesboro Pike, Nashville TN 37217",
		"Edisonstraat 17, 8606 JJ Sneek":                  "Edisonstraat 17, 8606 JJ Sneek",
	} {
		if got := Arrange(text); got != want {
			t.Errorf("Arrange(%q) = %q, want %q", text, got, want)
		}
	}
}
