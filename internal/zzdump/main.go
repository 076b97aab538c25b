package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"understudy.example/internal/document"
)

func main() {
	for _, p := range os.Args[1:] {
		f, _ := os.Open(p)
		st, _ := f.Stat()
		parts, err := document.Read(context.Background(), p[strings.LastIndex(p, "/")+1:], f, st.Size())
		fmt.Println("=====", p, err)
		for _, part := range parts {
			fmt.Println("--- part", part.Name, part.Format)
			for _, b := range part.Blocks {
				switch {
				case b.Table != nil:
					fmt.Println("TABLE", b.Table.Title, b.Place)
					for i, r := range b.Table.Rows {
						if i > 40 {
							fmt.Println("...", len(b.Table.Rows))
							break
						}
						var c []string
						for _, x := range r {
							t := strings.ReplaceAll(x.Text, "\n", "⏎")
							if x.Merged {
								t += "^"
							}
							c = append(c, t)
						}
						fmt.Println("  |", strings.Join(c, " | "))
					}
				case b.Label != "":
					fmt.Printf("LABEL %q = %q\n", b.Label, b.Value)
				default:
					fmt.Printf("TEXT %q\n", b.Text)
				}
			}
		}
	}
}
