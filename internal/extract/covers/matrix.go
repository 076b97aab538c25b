package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
)

// matrix returns the covers in the header of a table with a column for each cover, and rows for their limits and
// deductibles.
func matrix(rows [][]string) (found []GridCover) {
	if found := headers(rows); len(found) > 0 {
		return found
	}
	if len(rows[0]) < minGrid+1 {
		return nil
	}
	for j, c := range rows[0] {
		if strings.TrimSpace(c) == "" || j == 0 {
			continue
		}
		n, ok := named(c, fitItem)
		if !ok || len(vocabulary.Covers().Whole(bare(c), 0)) != 1 {
			return nil
		}
		found = append(found, GridCover{n, 0, j})
	}
	if len(found) < minGrid || len(vocabulary.Covers().Whole(rows[0][0], 0)) > 0 {
		return nil
	}
	below, stated := rows[1:min(len(rows), maxMatrixRows)], false
	for i, row := range below {
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			below = below[:i]
			break
		}
		stated = stated || len(row) > 1 && limits.MatchString(row[0]) && !amount.MatchString(row[0])
	}
	if !stated {
		return nil
	}
	return slices.DeleteFunc(found, func(c GridCover) bool {
		var cells []string
		for _, row := range below {
			if c.Column < len(row) && !expiringColumn.MatchString(row[0]) {
				cells = append(cells, row[c.Column])
			}
		}
		return !selected(cells)
	})
}

// headers returns the covers of a table whose header names covers of several lines of business, with their limits
// below and no column of row labels.
func headers(rows [][]string) (found []GridCover) {
	for j, c := range rows[0] {
		n, ok := named(c, fitItem)
		if !ok || len(vocabulary.Covers().Whole(bare(c), 0)) != 1 || j >= len(rows[1]) || !amount.MatchString(rows[1][j]) && !splitLimits.MatchString(rows[1][j]) {
			return nil
		}
		found = append(found, GridCover{n, 0, j})
	}
	if len(found) < minListed || !slices.ContainsFunc(found, func(c GridCover) bool { return c.Class != found[0].Class }) {
		return nil
	}
	return found
}
