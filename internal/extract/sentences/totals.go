package sentences

import (
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/years"
)

// grandTotal returns the position of the grand total in a table that splits the revenue by its rows, such as places,
// or by its rows and columns, such as activities.
func grandTotal(rows [][]string) (years.Cell, bool) {
	last := len(rows) - 1
	if len(rows[last]) < 2 || !column.IsTotal(rows[last][0]) {
		return years.Cell{}, false
	}
	for j := len(rows[0]) - 1; j > 0; j-- {
		if j < len(rows[last]) && parse.HasDigit(rows[last][j]) && (column.IsTotal(rows[0][j]) || len(rows[0]) == 2) {
			return years.Cell{Row: last, Column: j}, true
		}
	}
	return years.Cell{}, false
}

// totalRow returns the position of the total in a table that splits the revenue by territory or activity.
func totalRow(rows [][]string) (years.Cell, bool) {
	for j, header := range rows[0] {
		if j == 0 || !years.IsRevenue(pairs.WithoutMarkup(header)) {
			continue
		}
		for i := len(rows) - 1; i > 1; i-- {
			if j < len(rows[i]) && parse.HasDigit(rows[i][j]) && column.IsTotal(rows[i][0]) {
				return years.Cell{Row: i, Column: j}, true
			}
		}
	}
	return years.Cell{}, false
}
