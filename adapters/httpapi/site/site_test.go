package site

import (
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	t.Parallel()
	const guide = "# Title\n\n## A `b`\n\n### C\n\nSee [d](errors.md#x), [e](../README.md).\n\n```console\n" +
		"$ curl 'x' \\\n  -d '{\"a\":1}'\n{\"b\":[1]}\nplain < text\n```\n\n```js\nif (a < b) {}\n```\n"
	body, contents, err := render([]byte(guide))
	if err != nil {
		t.Fatal(err)
	}
	if want := []heading{{"a-b", "A b", 2}, {"c", "C", 3}}; len(contents) != 2 || contents[0] != want[0] || contents[1] != want[1] {
		t.Errorf("contents: got %v, want %v", contents, want)
	}
	for name, want := range map[string]string{
		"heading": `<h2 id="a-b"><a href="#a-b" class="anchor">A <code>b</code></a></h2>`,
		"link":    `See <a href="/docs/errors#x">d</a>, e.`,
		"command": `<span class="prompt" aria-hidden="true">$ </span><span class="command">curl &#39;x&#39; \</span>` + "\n" +
			`<span class="command">  -d &#39;{&#34;a&#34;:1}&#39;</span>` + "\n",
		"output":         "{\n  &#34;b&#34;: [\n    1\n  ]\n}\nplain &lt; text\n",
		"other language": `<div class="code"><pre tabindex="0"><code>if (a &lt; b) {}` + "\n</code></pre></div>",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: want %s in\n%s", name, want, body)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	s, err := New(true, "")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.Index()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Entry{}
	for _, e := range entries {
		if _, twice := found[e.URL]; twice || e.Title == "" || e.Guide == "" {
			t.Errorf("%+v occurs twice, or lacks a title or guide", e)
		}
		found[e.URL] = e
	}
	for url, want := range map[string]string{
		"/docs/quickstart":                   "make run",
		"/docs/sandbox#1-one-world-per-test": "Sim-World",
		"/errors/not_found":                  "HTTP status 404",
		"/errors/bad_checksum":               "checksum does not match",
		"/errors/deposits_delayed":           "read late",
	} {
		if !strings.Contains(found[url].Text, want) {
			t.Errorf("%s: want %q in %q", url, want, found[url].Text)
		}
	}
}
