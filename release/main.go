// Command release builds the files of a release into a directory: an archive of the server for
// each platform, a bill of materials for each, the Go module, the test clients for other
// languages, and the checksums of all files. Two builds of a commit with the same Go release have
// the same bytes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// platforms are the operating systems and processors of a release.
var platforms = []platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

type platform struct{ OS, Arch string }

func (p platform) String() string { return p.OS + "_" + p.Arch }

// release is one run of the command.
type release struct {
	Version  string   `required:"" help:"Version of the release, such as v1.2.3: the tag of the commit."`
	Output   string   `default:"bin/release" help:"Directory of the files. It is created if necessary."`
	Platform []string `help:"Only these platforms, such as linux_amd64. The default is all."`
	Source   string   `default:"." help:"Directory of the repository."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r release
	kong.Parse(&r, kong.Name("release"), kong.Description("Build the files of a release."))
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) run(ctx context.Context) error {
	if !validVersion(r.Version) {
		return fmt.Errorf("--version %q is not of the form v1.2.3 or v1.2.3-rc.1", r.Version)
	}
	chosen, err := choose(r.Platform)
	if err != nil {
		return err
	}
	modified, err := r.commitTime(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Output, 0o755); err != nil {
		return err
	}
	files, err := r.packClients(modified)
	if err != nil {
		return err
	}
	archive, err := r.packModule(modified)
	if err != nil {
		return fmt.Errorf("pack the Go module: %w", err)
	}
	files = append(files, archive)
	for i, p := range chosen {
		fmt.Printf("%d of %d: %v\n", i+1, len(chosen), p)
		built, err := r.build(ctx, p, modified)
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		files = append(files, built...)
	}
	return writeChecksums(r.Output, files)
}

// choose returns the platforms with the names, or all if there are none.
func choose(names []string) (chosen []platform, err error) {
	if len(names) == 0 {
		return platforms, nil
	}
	for _, name := range names {
		known := false
		for _, p := range platforms {
			if p.String() == name {
				chosen, known = append(chosen, p), true
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown platform %q: the platforms are %v", name, platforms)
		}
	}
	return chosen, nil
}

// commitTime returns the time of the commit, which all files in the archives have.
func (r *release) commitTime(ctx context.Context) (time.Time, error) {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" { // https://reproducible-builds.org/specs/source-date-epoch/
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	out, err := exec.CommandContext(ctx, "git", "-C", r.Source, "log", "-1", "--format=%ct").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("find the time of the commit: %w; outside a git repository, set SOURCE_DATE_EPOCH", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the time of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
