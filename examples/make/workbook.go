package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/xuri/excelize/v2"
)

const (
	valuesSheet = "SOV"
	headerRow   = 6
)

var columns = []struct {
	name  string
	width float64
}{
	{"Loc #", 7},
	{"Address", 28},
	{"City", 15},
	{"State", 7},
	{"Zip", 8},
	{"Construction", 24},
	{"Occupancy", 26},
	{"Year built", 10},
	{"Sprinklered", 12},
	{"Building value", 15},
	{"Contents", 14},
	{"Stock", 14},
	{"BI", 14},
	{"TIV", 15},
}

// building is a row of the statement of values.
type building struct {
	address, city, state, zip string
	construction, occupancy   string
	yearBuilt                 int
	sprinklered               string
	values                    [4]int // building, contents, stock, business income
}

var buildings = []building{
	{"410 Larkspur Mill Road", "Grand Rapids", "MI", "49503", "Joisted masonry", "Furniture manufacturing", 1987, "Y", [4]int{9_800_000, 6_450_000, 2_100_000, 7_500_000}},
	{"422 Larkspur Mill Road", "Grand Rapids", "MI", "49503", "Masonry non-combustible", "Finishing and spray shop", 1994, "Y", [4]int{4_250_000, 2_900_000, 640_000, 2_000_000}},
	{"1807 Tanglewood Siding", "Grand Rapids", "MI", "49504", "Non-combustible", "Warehouse", 2003, "Y", [4]int{3_600_000, 450_000, 5_200_000, 900_000}},
	{"29 Bobbin Street", "High Point", "NC", "27260", "Joisted masonry", "Showroom and offices", 1962, "N", [4]int{2_150_000, 780_000, 310_000, 1_250_000}},
	{"5 Old Lantern Lane", "Worcester", "MA", "01608", "Frame", "Upholstery workshop", 1931, "N", [4]int{1_375_000, 920_000, 265_000, 600_000}},
	{"760 Paperlantern Avenue", "Chicago", "IL", "60607", "Fire resistive", "Showroom", 1978, "Y", [4]int{3_900_000, 1_120_000, 480_000, 1_800_000}},
	{"2245 Sagebrush Loop", "Reno", "NV", "89502", "Non-combustible", "Distribution warehouse", 2015, "Y", [4]int{5_400_000, 610_000, 4_350_000, 1_400_000}},
}

// workbook returns a statement of values as an Excel workbook: one sheet with
// titles, header, rows and total, and one with notes.
func workbook() ([]byte, error) {
	book := excelize.NewFile()
	defer book.Close()
	stamp := documentTime.Format(time.RFC3339)
	if err := book.SetDocProps(&excelize.DocProperties{
		Creator: "Broker desk", LastModifiedBy: "Broker desk", Title: "Statement of values",
		Created: stamp, Modified: stamp,
	}); err != nil {
		return nil, err
	}
	if err := book.SetSheetName("Sheet1", valuesSheet); err != nil {
		return nil, err
	}
	if err := fillValues(book); err != nil {
		return nil, err
	}
	if err := fillNotes(book); err != nil {
		return nil, err
	}
	file, err := book.WriteToBuffer()
	if err != nil {
		return nil, err
	}
	return normalizeZip(file.Bytes())
}

func fillValues(book *excelize.File) error {
	bold, err := book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	money, err := book.NewStyle(&excelize.Style{NumFmt: 3}) // #,##0
	if err != nil {
		return err
	}
	header := make([]any, len(columns))
	for i, column := range columns {
		header[i] = column.name
		letter, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		if err := book.SetColWidth(valuesSheet, letter, letter, column.width); err != nil {
			return err
		}
	}
	rows := [][]any{
		{"Statement of Values"},
		{"Named insured:", nil, "Quillfeather Furniture Works, Inc."},
		{"Prepared by:", nil, "Pellbridge Insurance Brokers, LLC"},
		{"Values as of:", nil, "02/15/2026"},
		nil,
		header,
	}
	var totals [5]int
	for i, b := range buildings {
		row := []any{i + 1, b.address, b.city, b.state, b.zip, b.construction, b.occupancy, b.yearBuilt, b.sprinklered}
		insuredValue := 0
		for k, value := range b.values {
			row = append(row, value)
			totals[k] += value
			insuredValue += value
		}
		totals[4] += insuredValue
		rows = append(rows, append(row, insuredValue))
	}
	total := []any{"Total", nil, nil, nil, nil, nil, nil, nil, nil}
	for _, value := range totals {
		total = append(total, value)
	}
	rows = append(rows, total)
	for i, row := range rows {
		if err := book.SetSheetRow(valuesSheet, fmt.Sprintf("A%d", i+1), &row); err != nil {
			return err
		}
	}
	last := len(rows)
	for row := headerRow + 1; row < last; row++ {
		if err := book.SetCellFormula(valuesSheet, fmt.Sprintf("N%d", row), fmt.Sprintf("SUM(J%d:M%d)", row, row)); err != nil {
			return err
		}
	}
	for _, column := range []string{"J", "K", "L", "M", "N"} {
		if err := book.SetCellFormula(valuesSheet, fmt.Sprintf("%s%d", column, last), fmt.Sprintf("SUM(%s%d:%s%d)", column, headerRow+1, column, last-1)); err != nil {
			return err
		}
	}
	for _, area := range []struct {
		from, to string
		style    int
	}{
		{"A1", "A4", bold},
		{fmt.Sprintf("A%d", headerRow), fmt.Sprintf("N%d", headerRow), bold},
		{fmt.Sprintf("J%d", headerRow+1), fmt.Sprintf("N%d", last), money},
		{fmt.Sprintf("A%d", last), fmt.Sprintf("A%d", last), bold},
	} {
		if err := book.SetCellStyle(valuesSheet, area.from, area.to, area.style); err != nil {
			return err
		}
	}
	return nil
}

func fillNotes(book *excelize.File) error {
	const sheet = "Notes"
	if _, err := book.NewSheet(sheet); err != nil {
		return err
	}
	if err := book.SetColWidth(sheet, "A", "A", 90); err != nil {
		return err
	}
	for i, note := range []string{
		"Notes to the statement of values",
		"Building values are replacement cost as appraised in 2025.",
		"Business income values are for twelve months, with ordinary payroll.",
		"The sprinklers of locations 1 and 2 were tested in November 2025.",
		"Location 5 is to be sprinklered in the course of 2026.",
	} {
		if err := book.SetCellValue(sheet, fmt.Sprintf("A%d", i+1), note); err != nil {
			return err
		}
	}
	return nil
}

// normalizeZip rewrites the ZIP archive by writeZip, with the entries in a fixed
// order.
func normalizeZip(file []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
		// excelize declares the value of every formula as text. Excel does not.
		content = bytes.ReplaceAll(content, []byte(` t="str"><f>`), []byte(`><f>`))
		entries = append(entries, entry{f.Name, content})
	}
	// "[Content_Types].xml", which must come first, sorts first.
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return writeZip(entries)
}
