package office_test

import (
	"testing"

	"understudy.example/internal/document/documenttest"
)

func FuzzExcel2003(f *testing.F) {
	f.Add(`<Worksheet ss:Name="a"><Table><Row ss:Index="3"><Cell ss:Index="2" ss:MergeAcross="2"><Data ss:Type="Number">1</Data></Cell></Row></Table></Worksheet>`)
	f.Fuzz(func(t *testing.T, data string) {
		documenttest.Check(t, "a.xls", `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">`+data)
	})
}
