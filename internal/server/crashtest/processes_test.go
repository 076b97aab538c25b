//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// process is a process as /proc shows it.
type process struct {
	pid, parent int
	started     string // in ticks since the machine's start: with the pid, it identifies the process
	ticks       int    // CPU time that it has used, in hundredths of a second
	command     string
}

// processes returns all processes, without those that have exited and wait for their
// parents.
func processes() []process {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	var all []process
	for _, path := range paths {
		if p, ok := readProcess(path); ok {
			all = append(all, p)
		}
	}
	return all
}

// readProcess reads /proc/<pid>/stat, see proc(5).
func readProcess(path string) (process, bool) {
	stat, err := os.ReadFile(path)
	end := bytes.LastIndexByte(stat, ')') // of the name, which can contain anything
	if err != nil || end < 0 {
		return process{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i])
		return n
	}
	dir := filepath.Dir(path)
	pid, _ := strconv.Atoi(filepath.Base(dir))
	command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	return process{
		pid: pid, parent: number(1), ticks: number(11) + number(12), started: fields[19],
		command: strings.TrimSpace(string(bytes.ReplaceAll(command, []byte{0}, []byte{' '}))),
	}, true
}

// children returns the children of the process.
func children(pid int) []process {
	return slices.DeleteFunc(processes(), func(p process) bool { return p.parent != pid })
}

// descendants returns the children of the process, their children and so on.
func descendants(pid int) (found []process) {
	all := processes()
	parents := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if parents[p.parent] && !parents[p.pid] {
				parents[p.pid], grown = true, true
				found = append(found, p)
			}
		}
	}
	return found
}

// running returns those of the processes that are still running.
func running(old []process) []process {
	return slices.DeleteFunc(slices.Clone(old), func(p process) bool {
		now, ok := readProcess("/proc/" + strconv.Itoa(p.pid) + "/stat")
		return !ok || now.started != p.started
	})
}

// postmasterOf returns the process id of the PostgreSQL that uses the cluster, 0 if
// there is none.
func postmasterOf(clusterDir string) int {
	pid, _ := strconv.Atoi(postmasterFile(clusterDir)[0])
	return pid
}

// socketDirOf returns the socket directory of the PostgreSQL that uses the cluster.
func socketDirOf(clusterDir string) string { return postmasterFile(clusterDir)[4] }

// postmasterFile returns the lines of postmaster.pid, of which there are at least five
// (src/include/utils/pidfile.h in PostgreSQL).
func postmasterFile(clusterDir string) []string {
	content, _ := os.ReadFile(filepath.Join(clusterDir, "postmaster.pid"))
	return append(strings.Split(string(content), "\n"), make([]string, 5)...)
}

// clientBackend matches the title of a PostgreSQL process that serves a client.
var clientBackend = regexp.MustCompile(`^postgres: .*(\[local\]|127\.0\.0\.1\()`)

// backendsOf returns the processes that serve the clients of the cluster.
func backendsOf(clusterDir string) []process {
	postmaster := postmasterOf(clusterDir)
	if postmaster == 0 {
		return nil
	}
	return slices.DeleteFunc(children(postmaster), func(p process) bool { return !clientBackend.MatchString(p.command) })
}

// sharedMemory matches a file of shared memory in /proc/<pid>/maps.
var sharedMemory = regexp.MustCompile(`/dev/shm/PostgreSQL\.\d+`)

// sharedMemoryOf returns the files of shared memory that the process has mapped.
func sharedMemoryOf(pid int) []string {
	maps, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/maps")
	return slices.Compact(sharedMemory.FindAllString(string(maps), -1))
}

// segmentsOf returns the System V shared memory that the ended processes have created: its
// id and how many processes have it attached. Memory whose creator runs belongs to another
// process that was given the same id since.
func segmentsOf(creators map[int]bool) (segments []string) {
	table, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line) // key shmid perms size cpid lpid nattch …
		if len(fields) < 7 {
			continue
		}
		creator, err := strconv.Atoi(fields[4])
		if err == nil && creators[creator] && !exists("/proc/"+fields[4]) {
			segments = append(segments, fmt.Sprintf("%s (created by %d, %s attached)", fields[1], creator, fields[6]))
		}
	}
	return segments
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
