package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// rows are the rows of the table, with the fields of the inquiry that they show.
var rows = []struct {
	title  string
	fields []string
}{
	{"Insured", []string{"company_name"}},
	{"Address", []string{"address", "city", "state", "postal_code"}},
	{"Revenue", []string{"annual_revenue"}},
	{"Broker", []string{"broker_name", "broker_city", "broker_state"}},
	{"Product", []string{"product"}},
	{"Coverage", []string{"coverage"}},
	{"Inception", []string{"policy_inception_date"}},
	{"Expiry", []string{"end_date"}},
	{"Limit", []string{"100_pct_limit"}},
	{"Premium", []string{"estimated_premium"}},
}

// locationPage is the number of locations that one call reads.
const locationPage = 1000

// printTable prints the result of the submission.
func (s *submitter) printTable(ctx context.Context, out io.Writer, file string, tx transaction, took time.Duration) error {
	out = terminalWriter{out}
	values, err := s.companyValues(ctx, tx)
	if err != nil {
		return err
	}
	locations, insuredValue, err := s.locations(ctx, tx)
	if err != nil {
		return err
	}
	review := ""
	if tx.Review {
		review = ", needs review"
	}
	fmt.Fprintf(out, "%s: %s in %.1f s%s\n", file, tx.Status, took.Seconds(), review)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		var shown []string
		for _, field := range row.fields {
			if values[field] != "" {
				shown = append(shown, values[field])
			}
		}
		if len(shown) > 0 {
			fmt.Fprintf(table, "  %s\t%s\n", row.title, strings.Join(shown, ", "))
		}
	}
	fmt.Fprintf(table, "  Locations\t%d\n", locations)
	if insuredValue > 0 {
		fmt.Fprintf(table, "  TIV\t%s\n", message.NewPrinter(language.English).Sprintf("%.2f", insuredValue))
	}
	fmt.Fprintf(table, "  tx_id\t%s\n", tx.TxID)
	fmt.Fprintf(table, "  Console\t%s/tenants/%s/submissions/%s\n", s.control.URL, url.PathEscape(s.tenant), tx.TxID)
	return table.Flush()
}

// companyValues returns the facts and the options of the company, as text.
func (s *submitter) companyValues(ctx context.Context, tx transaction) (map[string]string, error) {
	id, err := s.control.packageOf(ctx, s.tenant, "company")
	if err != nil {
		return nil, err
	}
	var inquiry struct {
		Data struct{ Facts, Options map[string]json.RawMessage }
	}
	query := url.Values{"version": {"2"}, "package": {id}}
	if err := s.control.call(ctx, http.MethodGet, s.path(tx, "/inquiry?"+query.Encode()), nil, &inquiry); err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, part := range []map[string]json.RawMessage{inquiry.Data.Facts, inquiry.Data.Options} {
		for field, value := range part {
			var text string
			var list []string
			switch {
			case json.Unmarshal(value, &text) == nil:
				values[field] = text
			case json.Unmarshal(value, &list) == nil:
				values[field] = strings.Join(list, ", ")
			}
		}
	}
	return values, nil
}

// locations returns the number of locations and their total insured value.
func (s *submitter) locations(ctx context.Context, tx transaction) (count int, insuredValue float64, err error) {
	id, err := s.control.packageOf(ctx, s.tenant, "location")
	if err != nil {
		return 0, 0, err
	}
	for {
		var page struct {
			Data []struct {
				Options struct {
					Total string `json:"100_pct_limit"`
				}
			}
		}
		query := url.Values{"version": {"2"}, "package": {id}, "locations_from": {strconv.Itoa(count)}, "locations": {strconv.Itoa(locationPage)}}
		if err := s.control.call(ctx, http.MethodGet, s.path(tx, "/inquiry?"+query.Encode()), nil, &page); err != nil {
			return 0, 0, err
		}
		for _, location := range page.Data {
			value, _ := strconv.ParseFloat(strings.ReplaceAll(location.Options.Total, ",", ""), 64) // 0 if it is unknown
			insuredValue += value
		}
		count += len(page.Data)
		if len(page.Data) < locationPage {
			return count, insuredValue, nil
		}
	}
}
