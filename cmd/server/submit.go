package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"understudy.example/internal/remote"
)

// submitCommand is `server submit`.
type submitCommand struct {
	tenantFlags `embed:""`

	Files       []string `arg:"" name:"file" help:"Documents to submit."`
	JSON        bool     `name:"json" help:"Print the response of the data inquiry instead of a table."`
	Package     string   `placeholder:"ID" help:"Data package of the inquiry that --json prints. The default is the first company package."`
	DataVersion int      `default:"2" enum:"1,2,3,4,5" help:"Version of the inquiry that --json prints, from 1 to 5."`
	Watch       bool     `help:"Submit a file again whenever it changes, until the command is interrupted."`
}

// Help describes the command.
func (submitCommand) Help() string {
	return `Submits each document to a running server, as a client of the tenant does, waits for the result, and prints it. The submission appears in the console, and its webhooks are delivered.

The exit status is 1 if a submission fails.`
}

// Poll intervals for the state of a submission and for watched files.
const (
	statePollInterval = 100 * time.Millisecond
	filePollInterval  = 200 * time.Millisecond
)

// Run submits the files.
func (c submitCommand) Run(ctx context.Context) error {
	for _, file := range c.Files {
		if info, err := os.Stat(file); err != nil {
			return err
		} else if info.IsDir() {
			return fmt.Errorf("submit: %s is a directory: name the files in it", file)
		}
	}
	control, tenant, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		if c.Package, err = control.choosePackage(ctx, tenant, c.Package); err != nil {
			return err
		}
	}
	s := &submitter{submitCommand: c, control: control, tenant: tenant, progress: newProgress(os.Stderr)}
	versions := map[string]fileVersion{}
	for _, file := range c.Files {
		versions[file] = versionOf(file)
	}
	failed := 0
	for _, file := range c.Files {
		completed, err := s.submit(ctx, file)
		switch {
		case err != nil && c.Watch && ctx.Err() == nil:
			printError(err)
		case err != nil:
			return err
		case !completed:
			failed++
		}
	}
	if c.Watch {
		return s.watch(ctx, versions)
	}
	if failed > 0 {
		return exitError{1}
	}
	return nil
}

// submitter submits documents for one tenant.
type submitter struct {
	submitCommand
	control  controlAPI
	tenant   string
	progress *progress
}

// transaction is a submission, as the control API shows it.
type transaction struct {
	TxID    string `json:"tx_id"`
	Status  string
	Review  bool
	Failure string
}

// submit submits the file, waits for its end and prints the result. It reports whether
// the submission was completed.
func (s *submitter) submit(ctx context.Context, file string) (completed bool, err error) {
	s.progress.begin(filepath.Base(file))
	defer s.progress.clear()
	begun := time.Now()
	tx, err := s.upload(ctx, file)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	s.warnIfWaiting(ctx)
	for tx.Status != "Completed" && tx.Status != "Failed" {
		s.progress.state(tx.Status)
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("%s: interrupted: submission %s continues on the server", file, tx.TxID)
		case <-time.After(statePollInterval):
		}
		if err := s.control.call(ctx, http.MethodGet, s.path(tx, "?locations=0"), nil, &tx); err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
	}
	s.progress.state(tx.Status)
	s.progress.clear()
	if tx.Status == "Failed" {
		fmt.Fprintf(stderr, "%s: submission %s failed: %s\n", file, tx.TxID, tx.Failure)
		return false, nil
	}
	if s.JSON {
		return true, s.printInquiry(ctx, tx)
	}
	return true, s.printTable(ctx, os.Stdout, file, tx, time.Since(begun))
}

// path returns the path of a resource of the submission.
func (s *submitter) path(tx transaction, suffix string) string {
	return tenantPath(s.tenant, "/transactions/"+url.PathEscape(tx.TxID)+suffix)
}

// upload submits the file.
func (s *submitter) upload(ctx context.Context, name string) (tx transaction, err error) {
	file, err := os.Open(name)
	if err != nil {
		return tx, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return tx, err
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	if _, err := parts.CreateFormFile("file", filepath.Base(name)); err != nil {
		return tx, err
	}
	head := bytes.Clone(form.Bytes())
	form.Reset()
	if err := parts.Close(); err != nil {
		return tx, err
	}
	content := io.TeeReader(io.LimitReader(file, info.Size()), s.progress.upload(info.Size()))
	request, err := s.control.Request(ctx, http.MethodPost, tenantPath(s.tenant, "/submissions"), parts.FormDataContentType(), io.MultiReader(bytes.NewReader(head), content, &form))
	if err != nil {
		return tx, err
	}
	request.ContentLength = int64(len(head)+form.Len()) + info.Size()
	response, err := remote.Do(s.control.Client, request)
	return tx, s.control.decode(response, err, &tx)
}

// warnIfWaiting prints a warning if the submission cannot end by itself.
func (s *submitter) warnIfWaiting(ctx context.Context) {
	var tenant struct {
		Settings struct{ Pacing struct{ Mode string } }
		Clock    struct{ Frozen bool }
	}
	switch err := s.control.call(ctx, http.MethodGet, tenantPath(s.tenant, ""), nil, &tenant); {
	case err != nil:
	case tenant.Clock.Frozen:
		s.progress.note("the clock of tenant " + s.tenant + " is frozen: the submission waits until you advance it or let it run")
	case tenant.Settings.Pacing.Mode == "polls":
		s.progress.note("the pacing of tenant " + s.tenant + " is polls: the submission waits until a client of the API polls its status")
	}
}

// printInquiry prints the response of the data inquiry.
func (s *submitter) printInquiry(ctx context.Context, tx transaction) error {
	query := url.Values{"version": {strconv.Itoa(s.DataVersion)}, "package": {s.Package}}
	response, err := s.control.Call(ctx, http.MethodGet, s.path(tx, "/inquiry?"+query.Encode()), nil)
	if err := s.control.decode(response, err, nil); err != nil {
		return fmt.Errorf("inquiry: %w", err)
	}
	_, err = os.Stdout.Write(append(bytes.TrimSpace(response.Body), '\n'))
	return err
}

// fileVersion changes when a file is written.
type fileVersion struct {
	modified time.Time
	size     int64
}

// versionOf returns the version of the file; the zero value if there is no file.
func versionOf(file string) fileVersion {
	info, err := os.Stat(file)
	if err != nil {
		return fileVersion{} // an editor may be replacing it
	}
	return fileVersion{info.ModTime(), info.Size()}
}

// watch submits files when they have changed and are no longer being written, until ctx
// ends.
func (s *submitter) watch(ctx context.Context, submitted map[string]fileVersion) error {
	fmt.Fprintln(os.Stderr, "Waiting for changes. Press Ctrl-C to end.")
	previous := map[string]fileVersion{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(filePollInterval):
		}
		for _, file := range s.Files {
			now := versionOf(file)
			settled := now == previous[file]
			previous[file] = now
			if !settled || now == submitted[file] || now == (fileVersion{}) {
				continue
			}
			submitted[file] = now
			if _, err := s.submit(ctx, file); err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
				printError(err)
			}
		}
	}
}
