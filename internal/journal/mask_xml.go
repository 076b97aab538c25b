package journal

import "strings"

// maskXML masks the content of XML elements that hold a secret, and leaves everything
// else as it is. The text may be cut off or malformed.
func maskXML(text string) string {
	var masked strings.Builder
	rest := text
	for {
		start := strings.IndexByte(rest, '<')
		if start < 0 {
			break
		}
		length := strings.IndexAny(rest[start+1:], " \t\r\n/<>")
		if length < 0 {
			break
		}
		name := rest[start+1 : start+1+length]
		_, local, prefixed := strings.Cut(name, ":")
		if !prefixed {
			local = name
		}
		after := start + 1 + length
		if !isSecretName(local) && !isHeaderName(local) {
			masked.WriteString(rest[:after])
			rest = rest[after:]
			continue
		}
		open := strings.IndexByte(rest[after:], '>')
		if open < 0 {
			break
		}
		content := after + open + 1
		masked.WriteString(rest[:content])
		empty := rest[content-2] == '/'
		rest = rest[content:]
		if empty {
			continue
		}
		masked.WriteString(mask)
		end := strings.Index(rest, "</"+name)
		if end < 0 {
			return masked.String()
		}
		rest = rest[end:]
	}
	masked.WriteString(rest)
	return masked.String()
}
