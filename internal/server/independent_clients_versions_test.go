package server_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
)

// clientV2 is a client written from the specification alone: Basic credentials,
// version 2, polls `status`, reads company and locations by idType.
func clientV2(d deployment, companyPackage, filename string, content []byte) (company, locations map[string]any, err error) {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(d.clientID+":"+d.clientSecret))
	if err := d.call("POST", d.authURL+"/auth/token?grant_type=client_credentials", map[string]string{"Authorization": basic}, nil, &token); err != nil {
		return nil, nil, err
	}
	header := map[string]string{"Authorization": "Bearer " + token.AccessToken, "x-api-key": d.apiKey, "Content-Type": "application/json"}
	txID, submission, err := d.submit("v2", header, filename, content)
	if err != nil {
		return nil, nil, err
	}
	for range 100 {
		switch submission["status"] {
		case "Submission_in_progress", "Scheduled", "Started", "Pending":
		case "Completed", "Succeeded":
			inquiry := d.baseURL + "/data/v2/" + companyPackage + "/" + txID + "?idType="
			if err := d.call("GET", inquiry+"transaction", header, nil, &company); err != nil {
				return nil, nil, err
			}
			return company, locations, d.call("GET", inquiry+"sov", header, nil, &locations)
		default:
			return nil, nil, fmt.Errorf("status %v", submission["status"])
		}
		submission = nil
		if err := d.call("GET", d.baseURL+"/universal/v2/universal-submit/status/"+txID, header, nil, &submission); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("status is still %v", submission["status"])
}

// clientV4 is a client like those found in public: form credentials with a field
// too many, version 4, polls `tx_status`, reads each of its packages in version 5
// without idType. It returns the inquiries by package, and the values of tx_status
// that it saw.
func clientV4(d deployment, packages []string, filename string, content []byte) (inquiries map[string]map[string]any, states []string, err error) {
	var token struct {
		AccessToken string `json:"access_token"`
	}
	credentials := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {d.clientID}, "client_secret": {d.clientSecret}, "api_key": {d.apiKey},
	}
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	if err := d.call("POST", d.authURL+"/auth/token", form, []byte(credentials.Encode()), &token); err != nil {
		return nil, nil, err
	}
	header := map[string]string{"Authorization": "Bearer " + token.AccessToken, "x-api-key": d.apiKey, "x-tenantId": "unused", "Content-Type": "application/json"}
	txID, _, err := d.submit("v4", header, filename, content)
	if err != nil {
		return nil, nil, err
	}
	for range 100 {
		var submission struct {
			TxStatus string `json:"tx_status"`
		}
		if err := d.call("GET", d.baseURL+"/universal/v4/universal-submit/status/"+txID, header, nil, &submission); err != nil {
			return nil, nil, err
		}
		states = append(states, submission.TxStatus)
		switch submission.TxStatus {
		case "Scheduled", "Started":
			continue
		case "COMPLETED", "Review_required":
		default:
			return nil, nil, fmt.Errorf("tx_status %q", submission.TxStatus)
		}
		inquiries = map[string]map[string]any{}
		for _, id := range packages {
			var inquiry map[string]any
			if err := d.call("GET", d.baseURL+"/data/v5/"+id+"/"+txID, header, nil, &inquiry); err != nil {
				return nil, nil, err
			}
			inquiries[id] = inquiry
		}
		return inquiries, states, nil
	}
	return nil, nil, fmt.Errorf("tx_status is still %s", states)
}
