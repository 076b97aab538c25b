package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"understudy.example/internal/archive"
	"understudy.example/internal/remote"
)

// Submissions are in the files of an archive whose names begin with tenants/<name>/, in
// the order of the stream of the control API.
const dataFolder = "tenants/"

// tenantOf returns the tenant to whose submissions the file of an archive belongs, and the
// name of the file in the stream. ok is false if it is another file.
func tenantOf(name string) (tenant, rest string, ok bool) {
	name, ok = strings.CutPrefix(name, dataFolder)
	tenant, rest, found := strings.Cut(name, "/")
	return tenant, rest, ok && found && tenant != "" && rest != ""
}

var errBroken = errors.New("the server broke the connection before the end: see its log, and repeat the command")

// counter counts submissions and company submits, and shows the number of submissions.
type counter struct {
	progress  *progress
	verb      string
	done      int // submissions
	companies int // company submits
	head      archive.Head
}

// copyFile copies the file of a stream to another one, where it has the name, and counts it.
func (c *counter) copyFile(to *tar.Writer, name string, file *tar.Header, streamName string, from io.Reader) error {
	if streamName == archive.HeadName {
		if file.Size > maxArchived {
			return errors.New("the archive is damaged")
		}
		text, err := io.ReadAll(from)
		if err != nil {
			return err
		}
		if c.head, err = archive.ReadHead(text); err != nil {
			return err
		}
		from = strings.NewReader(string(text))
	}
	if archive.IsCompany(streamName) {
		c.companies++
	}
	if archive.IsSubmission(streamName) {
		c.done++
	}
	// Without a terminal, each number would be a line.
	if archive.IsSubmission(streamName) && (c.progress.terminal || c.done%100 == 0 || c.done == c.head.Submissions) {
		c.progress.show(fmt.Sprintf("%s %d of %d submissions", c.verb, c.done, c.head.Submissions), float64(c.done)/float64(max(c.head.Submissions, 1)))
	}
	if err := to.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: file.Size, ModTime: file.ModTime}); err != nil {
		return err
	}
	_, err := io.Copy(to, from)
	return err
}

// stream sends a request with the body and returns the response, whose body the caller
// must close.
func (c controlAPI) stream(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	contentType := ""
	if body != nil {
		contentType = archive.ContentType
	}
	request, err := c.Request(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	response, err := c.Client.Do(request)
	if errors.Is(err, io.EOF) {
		return nil, errBroken
	}
	if err != nil {
		return nil, c.decode(remote.Response{}, err, nil)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return nil, c.decode(remote.Response{Status: response.StatusCode, Header: response.Header, Body: text}, err, nil)
}

// exportData writes the submissions of the tenant to the archive.
func (c controlAPI) exportData(ctx context.Context, tenant string, to *tar.Writer, shown *progress) (counter, error) {
	count := counter{progress: shown, verb: "exported"}
	shown.begin(tenant)
	defer shown.clear()
	response, err := c.stream(ctx, http.MethodGet, tenantPath(tenant, "/archive"), nil)
	if err != nil {
		return count, err
	}
	defer response.Body.Close()
	last := ""
	for files := tar.NewReader(response.Body); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) && archive.IsEnd(last) {
			return count, nil
		}
		if err == nil {
			last = file.Name
			err = count.copyFile(to, dataFolder+tenant+"/"+file.Name, file, file.Name, files)
		}
		if err != nil && ctx.Err() != nil {
			return count, errors.New("interrupted")
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return count, errBroken
		}
		if err != nil {
			return count, err
		}
	}
}

// importData imports the submissions of the archive into the tenants of the same names, which
// must be among those given. It returns the result of each tenant in the archive.
func (c controlAPI) importData(ctx context.Context, path string, tenants []importedTenant, shown *progress) (map[string]archive.Result, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	compressed, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	results := map[string]archive.Result{}
	files := tar.NewReader(compressed)
	header, err := nextData(files)
	for err == nil && header != nil {
		tenant, _, _ := tenantOf(header.Name)
		if !slices.ContainsFunc(tenants, func(t importedTenant) bool { return t.Name == tenant }) {
			return results, fmt.Errorf("tenant %s: the archive has submissions of the tenant, but not its configuration", tenant)
		}
		result := archive.Result{}
		if header, result, err = c.importTenantData(ctx, tenant, header, files, shown); err != nil {
			return results, fmt.Errorf("tenant %s: %w", tenant, err)
		}
		results[tenant] = result
	}
	if err != nil {
		return results, fmt.Errorf("%s: the archive is damaged: %w", path, err)
	}
	return results, nil
}

// nextData returns the next file of an archive with submissions; nil at its end.
func nextData(files *tar.Reader) (*tar.Header, error) {
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if _, _, ok := tenantOf(header.Name); ok {
			return header, nil
		}
	}
}

// importTenantData imports the files of the tenant, from header on. It returns the first
// file of the next tenant; nil at the end of the archive.
func (c controlAPI) importTenantData(ctx context.Context, tenant string, header *tar.Header, files *tar.Reader, shown *progress) (next *tar.Header, result archive.Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shown.begin(tenant)
	defer shown.clear()
	in, out := io.Pipe()
	var readErr error // of the archive
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		count := counter{progress: shown, verb: "sent"}
		to := tar.NewWriter(out)
		for next = header; next != nil; next, readErr = nextData(files) {
			owner, name, _ := tenantOf(next.Name)
			if owner != tenant {
				break
			}
			if readErr = count.copyFile(to, name, next, name, files); readErr != nil {
				break
			}
		}
		if readErr == nil {
			readErr = to.Close()
		}
		out.CloseWithError(readErr)
	}()
	response, err := c.stream(ctx, http.MethodPost, tenantPath(tenant, "/archive"), in)
	in.Close() // ends the copying, if the server has not read everything
	<-copied
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&result)
	}
	if err != nil && readErr != nil && !errors.Is(readErr, io.ErrClosedPipe) {
		err = fmt.Errorf("the archive is damaged: %w", readErr)
	}
	return next, result, err
}
