package worker

import (
	"log/slog"
	"strings"
	"sync/atomic"
)

// Layer is one of the independent protections that restrict a worker process to its
// document.
type Layer struct {
	Name   string // such as "seccomp"
	Holds  bool
	Detail string // a sentence: what the layer prevents, or why it is missing
	// Optional reports whether the layer is missing on many systems, such as namespaces
	// in containers. Every supported Linux system has the other layers.
	Optional bool
}

// describe returns the layers as the text of a log line.
func describe(layers []Layer) string {
	var holds, missing []string
	for _, layer := range layers {
		if layer.Holds {
			holds = append(holds, layer.Name)
		} else {
			missing = append(missing, layer.Name+" ("+layer.Detail+")")
		}
	}
	text := "worker sandbox: " + strings.Join(holds, ", ")
	if len(missing) > 0 {
		text += "; missing: " + strings.Join(missing, ", ")
	}
	return text
}

// logged is the last line that logLayers has written.
var logged atomic.Value

// logLayers logs which layers are active, once, and again when that changes. The line
// is a warning if a layer that is not optional is missing.
func logLayers(layers []Layer) {
	text := describe(layers)
	if logged.Swap(text) == text {
		return
	}
	for _, layer := range layers {
		if !layer.Holds && !layer.Optional {
			slog.Warn(text)
			return
		}
	}
	slog.Info(text)
}
