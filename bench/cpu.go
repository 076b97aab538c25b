package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of Linux's CPU times.
const tick = 10 * time.Millisecond

// cpu is the CPU time that this process and its Postgres have used: what is
// left to compare when the machine has other things to do. 0 where /proc does
// not tell.
func cpu() (total time.Duration) {
	parent, used := map[int]int{}, map[int]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		var pid int
		fmt.Sscan(string(text), &pid)
		_, rest, _ := strings.Cut(string(text), ") ") // the name may hold anything
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		parent[pid], _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user and system time, its own and its ended children's
			ticks, _ := strconv.Atoi(field)
			used[pid] += time.Duration(ticks) * tick
		}
	}
	for pid := range used {
		for at := pid; at > 1; at = parent[at] {
			if at == os.Getpid() {
				total += used[pid]
				break
			}
		}
	}
	return total
}
