package parse

import "understudy.example/internal/lazyregexp"

// JobTitle matches the title of a job at the beginning of a text.
var JobTitle = lazyregexp.New(`(?i)^(?:senior |junior |assistant |associate |deputy |group |regional |managing |chief |vice |head |account |client |commercial )*(?:director|manager|courtier|geschäftsführer(?:in)?|account exec|producer\b|executive|officer|president|head|handler|broker|underwriter|consultant|adviser|advisor|partner|cfo|ceo|coo|risk manager)\b`)
