package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of the CPU times in /proc on Linux.
const clockTick = 10 * time.Millisecond

// cpuTime returns the CPU time that this process and its Postgres have used,
// which allows a comparison even on a busy machine. It returns 0 on systems
// without /proc.
func cpuTime() (total time.Duration) {
	parent, used := map[int]int{}, map[int]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has exited
		}
		var pid int
		fmt.Sscan(string(text), &pid)
		_, rest, _ := strings.Cut(string(text), ") ") // skip the process name, which may contain spaces
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		parent[pid], _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user and system time of the process and of its reaped children
			ticks, _ := strconv.Atoi(field)
			used[pid] += time.Duration(ticks) * clockTick
		}
	}
	for pid := range used {
		for ancestor := pid; ancestor > 1; ancestor = parent[ancestor] {
			if ancestor == os.Getpid() {
				total += used[pid]
				break
			}
		}
	}
	return total
}
