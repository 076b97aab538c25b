package launch

import "testing"

func TestLogLinesInBothFormats(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"time=2026-03-02T09:00:00.000Z level=INFO msg=ready api=http://127.0.0.1:8080 control=http://127.0.0.1:8081\n",
		`{"time":"2026-03-02T09:00:00Z","level":"INFO","msg":"ready","api":"http://127.0.0.1:8080","control":"http://127.0.0.1:8081"}` + "\n",
	} {
		match := readyLine.FindStringSubmatch(line)
		if match == nil || match[1] != "http://127.0.0.1:8080" || match[2] != "http://127.0.0.1:8081" {
			t.Errorf("%s: got %v, want both URLs", line, match)
		}
	}
	for line, want := range map[string]string{
		`time=2026-03-02T09:00:00.000Z level=INFO msg="temporary data directory" directory=/tmp/understudy-1`:             "/tmp/understudy-1",
		`time=2026-03-02T09:00:00.000Z level=INFO msg="temporary data directory" directory="/tmp/a b/understudy-2"`:       "/tmp/a b/understudy-2",
		`{"time":"2026-03-02T09:00:00Z","level":"INFO","msg":"temporary data directory","directory":"/tmp/understudy-3"}`: "/tmp/understudy-3",
		`time=2026-03-02T09:00:00.000Z level=INFO msg="temporary data directory" directory=/home`:                         "",
		`level=INFO msg=request path="/a msg=\"temporary data directory\" directory=/tmp/understudy-4"`:                   "",
	} {
		match := append(dataLine.FindStringSubmatch(line+"\n"), "", "")
		if match[1] != want {
			t.Errorf("%s: got %q, want %q", line, match[1], want)
		}
	}
}
