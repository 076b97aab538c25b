package parse

import "understudy.example/internal/extract/vocabulary"

// JobTitle matches job titles, which stand below the names of persons.
var JobTitle = vocabulary.Pattern(`(?i)^(?:{{job_titles.rank}} )*{{job_titles.title}}\b`)
