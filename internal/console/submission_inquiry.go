package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxInquiryShown is the maximum size in bytes of the response of an inquiry that a
// page shows, and inquiredLocations the maximum number of locations in it. Larger
// responses can be downloaded.
const (
	maxInquiryShown   = 64 << 10
	inquiredLocations = 50
)

// inquiryPane is the response of an inquiry, and the choice of others.
type inquiryPane struct {
	Versions  []int
	Packages  []dataPackage
	Version   int
	Package   string
	Status    int
	Body      string
	Cut       bool // Body is only the beginning
	Locations int  // number in the report, if Body has only the first ones; otherwise 0
	Curl      string
	Download  string
}

// loadInquiry loads the response of the inquiry that the URL names; by default, version 2
// of the company.
func (v *visit) loadInquiry(p *submissionPage) (*inquiryPane, error) {
	packages, err := v.packages()
	if err != nil {
		return nil, err
	}
	pane := &inquiryPane{Versions: []int{1, 2, 3, 4, 5}, Packages: packages, Version: 2, Package: v.Query.Get("package")}
	if n := parseIndex(v.Query.Get("version")); n >= 1 && n <= 5 {
		pane.Version = n
	}
	kind := "company"
	for _, one := range packages {
		if pane.Package == "" {
			pane.Package = one.ID
		}
		if one.ID == pane.Package {
			kind = one.Kind
		}
	}
	if pane.Package == "" {
		return pane, nil
	}
	query := url.Values{"version": {strconv.Itoa(pane.Version)}, "package": {pane.Package}}
	response, err := v.call(http.MethodGet, v.txPath+"/inquiry?"+query.Encode()+"&locations="+strconv.Itoa(inquiredLocations), nil, "")
	if err != nil {
		return nil, err
	}
	body := response.body.String()
	pane.Status = response.status
	total, _ := strconv.Atoi(response.header.Get(locationsHeader)) // company data has no such header
	if pane.Locations = total; total <= inquiredLocations {
		pane.Locations = 0
	}
	if pane.Cut = len(body) > maxInquiryShown || response.full; pane.Cut {
		body = strings.ToValidUTF8(body[:min(len(body), maxInquiryShown)], "")
	}
	if pane.Body = body; !utf8.ValidString(body) {
		pane.Body = strings.ToValidUTF8(body, "\uFFFD")
	}
	query.Set("_download", fmt.Sprintf("%s-v%d-%s.json", pane.Package, pane.Version, p.TxID))
	pane.Download = callPath + strings.TrimPrefix(v.txPath, "/") + "/inquiry?" + query.Encode()
	target := fmt.Sprintf("%s/data/v%d/%s/%s", v.APIURL, pane.Version, url.PathEscape(pane.Package), p.TxID)
	switch {
	case pane.Version == 1:
		target = fmt.Sprintf("%s/data/v1/%s/%s", v.APIURL, url.PathEscape(pane.Package), p.CReportID)
	case pane.Version == 2 && kind == "location":
		target += "?idType=sov"
	case pane.Version == 2:
		target += "?idType=transaction"
	}
	pane.Curl = "curl -H \"Authorization: Bearer $TOKEN\" -H \"x-api-key: $API_KEY\" \\\n  '" + target + "'"
	return pane, nil
}
