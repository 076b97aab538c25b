package address

import (
	"strings"
	"sync"
)

// spanishProvinces lists the names of the Spanish provinces, in the order of the first two digits of their postal
// codes, from 01 on.
const spanishProvinces = `Álava/Araba,Albacete,Alicante/Alacant,Almería,Ávila,Badajoz,Islas Baleares/Illes Balears/Baleares/Mallorca,Barcelona,
	Burgos,Cáceres,Cádiz,Castellón/Castelló,Ciudad Real,Córdoba,A Coruña/La Coruña,Cuenca,Girona/Gerona,Granada,Guadalajara,Gipuzkoa/Guipúzcoa,
	Huelva,Huesca,Jaén,León,Lleida/Lérida,La Rioja,Lugo,Madrid,Málaga,Murcia,Navarra/Nafarroa,Ourense/Orense,Asturias,Palencia,
	Las Palmas,Pontevedra,Salamanca,Santa Cruz de Tenerife/Tenerife,Cantabria,Segovia,Sevilla,Soria,Tarragona,Teruel,Toledo,
	Valencia/València,Valladolid,Bizkaia/Vizcaya,Zamora,Zaragoza,Ceuta,Melilla`

// spanishProvince maps the keys of the provinces' names to the first two digits of their postal codes.
var spanishProvince = sync.OnceValue(func() map[string]int {
	found := map[string]int{}
	number := 0
	for names := range strings.SplitSeq(spanishProvinces, ",") {
		number++
		for name := range strings.SplitSeq(names, "/") {
			found[Key(name)] = number
		}
	}
	return found
})

// takeSpanishProvince removes the name of a province after a Spanish city, and sets the country and the state: "39740
// Santoña (Cantabria)", "12130 Sant Joan de Moró, Castellón". The city must follow a postal code of that province.
func takeSpanishProvince(parts []string, a *Address) []string {
	n := len(parts) - 1
	city, province, bracketed := strings.Cut(strings.TrimSuffix(parts[n], ")"), "(")
	if !bracketed {
		if n == 0 {
			return parts
		}
		n--
		city, province = parts[n], parts[n+1]
	}
	words := strings.Fields(city)
	number, ok := spanishProvince()[Key(province)]
	if !ok || len(words) < 2 || len(words[0]) != 5 || !isDigits(words[0]) || mustAtoi(words[0][:2]) != number {
		return parts
	}
	a.setCountry("ES")
	a.State = strings.TrimSpace(province)
	return replacePart(parts[:n+1], n, strings.Join(words, " "))
}
