// Command gen makes assets/world.svg, the outlines of the countries behind the map of
// locations, from the TopoJSON file countries-110m.json of the npm package world-atlas.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gen countries-110m.json world.svg")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var topology topology
	if err := json.Unmarshal(text, &topology); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], []byte(svg(topology)), 0o644); err != nil {
		log.Fatal(err)
	}
}

// topology is the part of TopoJSON that is needed. Each arc, a line between neighbours,
// exists once; positions are quantized and relative to the one before.
type topology struct {
	Transform struct{ Scale, Translate [2]float64 }
	Arcs      [][][2]float64
}

// svg returns a picture of 360 by 180 units: a unit is a degree, and the upper left
// corner is at 180° west and 90° north. It draws the borders, in tenths of degrees.
func svg(t topology) string {
	var path strings.Builder
	for _, arc := range t.Arcs {
		x, y := 0.0, 0.0
		command, lastX, lastY := "M", 0, 0
		for i, position := range arc {
			x, y = x+position[0], y+position[1]
			atX := int(math.Round(10 * (x*t.Transform.Scale[0] + t.Transform.Translate[0] + 180)))
			atY := int(math.Round(10 * (90 - y*t.Transform.Scale[1] - t.Transform.Translate[1])))
			if i == 0 {
				fmt.Fprintf(&path, "M%d %d", atX, atY)
				command = "l"
			} else if atX != lastX || atY != lastY {
				fmt.Fprintf(&path, "%s%d %d", command, atX-lastX, atY-lastY)
				command = " "
			}
			lastX, lastY = atX, atY
		}
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3600 1800" width="3600" height="1800">` +
		`<path d="` + strings.ReplaceAll(path.String(), " -", "-") + `" fill="none" stroke="#868c98" stroke-width="1" vector-effect="non-scaling-stroke"/></svg>` + "\n"
}
