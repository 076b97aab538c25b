package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"understudy.example/internal/extract"
)

// explain prints the stages of the extraction of each file. It extracts in this process, as
// the stages are not part of what workers return.
func explain(ctx context.Context, files []string) error {
	failed := 0
	for _, path := range files {
		if err := explainFile(ctx, path); err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files could not be read", failed, len(files))
	}
	return ctx.Err()
}

func explainFile(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, trace, err := extract.Explain(ctx, filepath.Base(path), file, info.Size())
	if err != nil {
		return err
	}
	fmt.Println(path)
	return trace.WriteTable(terminalWriter{os.Stdout})
}
