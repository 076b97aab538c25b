package parse

import "understudy.example/internal/extract/vocabulary"

// JobTitle matches job titles, which stand below the names of persons.
var JobTitle = vocabulary.Pattern(`(?i)^(?:{{job_titles.rank}} )*{{job_titles.title}}\b`)

// TitleAndArea matches a job title with the area of work and the word that leads to the firm: "Account
// Executive Commercial Lines at".
var TitleAndArea = vocabulary.Pattern(`(?i)^(?:{{job_titles.rank|job_titles.area}}[ -])*{{job_titles.title|job_titles.further title}}\b(?:\s*[,&/–-]?\s*(?:{{job_titles.before area}}\s+)?{{job_titles.area}}\b)*(?:\s*[,@–-]|\s+{{job_titles.before firm}}\b)*\s*`)
