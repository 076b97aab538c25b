package console

import (
	"encoding/json"
	"strconv"
)

// chart is a history as bars: for each period the submissions that completed, with those
// that failed on top.
type chart struct {
	Window            string
	Bars              []bar
	First, Last       any // start of the first and of the last period
	Max               int // the highest bar
	Completed, Failed int
}

// bar is a period. The sizes are in units of the drawing.
type bar struct {
	At                          any
	Completed, Failed           int
	X, Width                    float64
	CompletedY, CompletedHeight float64
	FailedY, FailedHeight       float64
}

// Size of the drawing in its own units.
const (
	chartWidth  = 600
	chartHeight = 100
)

// newChart returns the chart of the history in an overview.
func newChart(history any) chart {
	c := chart{Window: text(history, "window")}
	periods, _ := at(history, "periods").([]any)
	for _, period := range periods {
		b := bar{At: at(period, "at"), Completed: whole(at(period, "completed")), Failed: whole(at(period, "failed"))}
		c.Completed += b.Completed
		c.Failed += b.Failed
		c.Max = max(c.Max, b.Completed+b.Failed)
		c.Bars = append(c.Bars, b)
	}
	if len(c.Bars) == 0 {
		return c
	}
	c.First, c.Last = c.Bars[0].At, c.Bars[len(c.Bars)-1].At
	step := float64(chartWidth) / float64(len(c.Bars))
	unit := float64(chartHeight) / float64(max(c.Max, 1))
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X, b.Width = round(float64(i)*step), round(step*.75)
		b.CompletedHeight, b.FailedHeight = round(float64(b.Completed)*unit), round(float64(b.Failed)*unit)
		b.CompletedY = round(chartHeight - b.CompletedHeight)
		b.FailedY = round(b.CompletedY - b.FailedHeight)
	}
	return c
}

func round(f float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 2, 64), 64) // it has just been written
	return short
}

// whole returns a number of a response; 0 if the value is not a number.
func whole(n any) int {
	number, _ := n.(json.Number)
	value, _ := strconv.Atoi(number.String())
	return value
}
