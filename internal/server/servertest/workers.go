package servertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Workers returns the process ids of the server's worker processes. It needs /proc.
func (p *Process) Workers() (workers []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.Cmd.Process.Pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(children)) {
			command, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if id, err := strconv.Atoi(child); err == nil && strings.HasPrefix(string(command), "understudy-worker") {
				workers = append(workers, id)
			}
		}
	}
	return workers
}
