package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// assets are the files that pages load: htmx 4.0.1 with its extension for server-sent
// events, and our own.
//
//go:embed assets
var assets embed.FS

// assetPath is the path of the files that pages load.
const assetPath = "/assets/"

var assetTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// assetURLs have the URL of each file, which changes with its content.
var assetURLs = func() map[string]string {
	urls := map[string]string{}
	files, err := fs.ReadDir(assets, "assets")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		content, err := assets.ReadFile("assets/" + file.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		urls[file.Name()] = assetPath + file.Name() + "?v=" + hex.EncodeToString(sum[:6])
	}
	return urls
}()

// serveAsset serves a file that pages load.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind, known := assetTypes[path.Ext(name)]
	content, err := assets.ReadFile("assets/" + name)
	if err != nil || !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.RequestURI() == assetURLs[name] {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
