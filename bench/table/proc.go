package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// stat is a process as /proc describes it.
type stat struct {
	pid, parent int
	name        string
	used        time.Duration // CPU time of the process
	ended       time.Duration // and of its children that have ended
}

// readStats returns the running processes by id.
func readStats() map[int]stat {
	const tick = 10 * time.Millisecond
	found := map[int]stat{}
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has exited
		}
		var s stat
		fmt.Sscan(string(text), &s.pid)
		head, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		_, s.name, _ = strings.Cut(head, "(")
		s.parent, _ = strconv.Atoi(fields[1])
		ticks := func(at int) time.Duration {
			n, _ := strconv.Atoi(fields[at])
			return time.Duration(n) * tick
		}
		s.used, s.ended = ticks(11)+ticks(12), ticks(13)+ticks(14)
		found[s.pid] = s
	}
	return found
}

// descendants returns the process and its descendants with their names.
func descendants(root int) map[int]string {
	names, all := map[int]string{}, readStats()
	for pid, s := range all {
		for ancestor := pid; ancestor > 1; ancestor = all[ancestor].parent {
			if ancestor == root {
				names[pid] = s.name
				break
			}
		}
	}
	return names
}

// cpuTime returns the CPU time that the process and its descendants have used.
func cpuTime(root int) (total time.Duration) {
	all := readStats()
	for pid := range descendants(root) {
		total += all[pid].used + all[pid].ended
	}
	return total
}

// ownTime returns the CPU time that the process has used without its descendants.
func ownTime(pid int) time.Duration { return readStats()[pid].used }

// resident returns a size in the status of the process, in bytes.
func resident(pid int, name string) int { return sizeIn(fmt.Sprintf("/proc/%d/status", pid), name) }

// proportional returns the proportional set size of the process in bytes: its own
// memory, and its share of the memory that it shares with other processes.
func proportional(pid int) int { return sizeIn(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:") }

func sizeIn(path, name string) int {
	text, _ := os.ReadFile(path)
	_, rest, _ := strings.Cut(string(text), name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.Atoi(fields[0])
	return kilobytes << 10
}

// resetPeak resets the peak of the process's memory, VmHWM, to its present size.
func resetPeak(pid int) { os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) }
