package markup_test

import (
	"bytes"
	"errors"
	"html/template"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"causeway/markup"
)

type inner struct{ Name, Note string }

type word string

func (w word) String() string { return "word " + string(w) }

// page is data of every kind that our pages have.
type page struct {
	inner

	Title   string
	Count   int
	Big     uint64
	Word    word
	Pointer *inner
	Nothing *inner
	Fault   error
	At      time.Time
	Never   time.Time
	Any     any
	List    []inner
	None    []string
	Map     map[string]int
	Panels  map[string][]inner
	Raw     []byte
	hidden  string
}

func full() page {
	return page{
		inner: inner{"inner", "of a page"}, Title: `<b>"Tom" & 'Ada'</b>`, Count: 3, Big: 9, Word: "a<b", Pointer: &inner{"pointed", ""}, Fault: errors.New("a > b"),
		At: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), Any: inner{"any", "thing"}, List: []inner{{"one", "1"}, {"two", ""}}, Map: map[string]int{"z": 1, "a": 2},
		Panels: map[string][]inner{"clock": {{"tick", "tock"}}}, Raw: []byte("raw <text>"), hidden: "no",
	}
}

func functions() markup.Funcs {
	return markup.Funcs{
		"join":  strings.Join,
		"upper": strings.ToUpper,
		"named": func(in inner, more ...any) (string, error) {
			if in.Name == "two" {
				return "", errors.New("two is refused")
			}
			return in.Name + strings.Repeat("!", len(more)), nil
		},
		"day": func(t time.Time) string { return t.Format(time.DateOnly) },
	}
}

// asBoth renders a template by this package and by html/template.
func asBoth(t interface{ Fatal(args ...any) }, text string, data any) (ours, theirs string) {
	set, err := markup.Parse("x", text, functions())
	if err != nil {
		t.Fatal(err)
	}
	var out, reference bytes.Buffer
	if err := set.Execute(&out, "x", data); err != nil {
		t.Fatal(err)
	}
	other, err := template.New("x").Funcs(template.FuncMap(functions())).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Execute(&reference, data); err != nil {
		t.Fatal(err)
	}
	return out.String(), reference.String()
}

// Whatever both understand, this package renders as html/template does.
func TestPagesComeOutAsFromHTMLTemplate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<p title="{{.Title}}">{{.Title}}</p>`,
		`<p>{{.Count}} {{.Big}} {{.Word}} {{.Name}} {{.Note}} {{.Pointer.Name}} {{.Any.Note}} {{.Fault}} {{printf "%s" .Raw}}</p>`,
		`{{if .Count}}yes{{else}}no{{end}}{{if .None}}yes{{else}}no{{end}}{{if .Nothing}}yes{{end}}{{if .Pointer}}yes{{end}}{{if .Never.IsZero}}never{{end}}{{if not .At.IsZero}}at{{end}}`,
		`{{with .Pointer}}{{.Name}}{{with .Note}}{{.}}{{else}} without a note{{end}}{{end}}{{with .Nothing}}x{{end}}{{with .Fault}}{{.}}{{end}}{{with .Any}}{{.Name}}{{end}}`,
		`{{range .List}}<li>{{.Name}}{{$.Count}}</li>{{end}}{{range .None}}x{{else}}none{{end}}{{range $i, $in := .List}}{{$i}}{{$in.Name}}{{end}}{{range $in := .List}}{{$in.Name}}{{end}}`,
		`{{range $name, $n := .Map}}{{$name}}={{$n}} {{end}}{{range .Map}}{{.}}{{end}}{{range index .Panels "clock"}}{{.Note}}{{end}}{{range index .Panels "none"}}x{{end}}`,
		`{{$a := .Title}}{{with .Pointer}}{{$a := .Name}}{{$a}}{{end}}{{$a}}{{len .List}}{{len .Title}}`,
		`{{if eq .Count 3}}three{{end}}{{if ne .Name "x"}}other{{end}}{{if ge .Count 4}}x{{else}}less{{end}}{{if or (eq .Count 9) (eq .Name "inner")}}either{{end}}{{or .None .Title}}`,
		`{{upper (print .Name "/" .Count)}} {{join .None ", "}} {{named .Pointer 1 2}} {{named .Any}} {{day .At}}`,
		`{{define "part"}}<b>{{.Name}}</b>{{end}}{{range .List}}{{template "part" .}}{{end}}{{template "part" .Pointer}}`,
		`<option{{if eq .Count 3}} selected{{end}} value="{{.Name}}{{if .Note}} {{.Note}}{{end}}">{{.Word}}</option>`,
		`<style>p > a { color: "red" }</style><script>if (a < b && c) { d = "<p>" }</script><p>{{.Name}}</p>`,
		`<title>{{.Title}}</title><a href="/x?a={{.Name}}&amp;b={{.Count}}#c">x</a><a id="#" href="?id={{.Name}}">y</a><br><input type="text" value="">{{.Name}}`,
	} {
		if ours, theirs := asBoth(t, text, full()); ours != theirs {
			t.Errorf("%s\n ours   %s\n theirs %s", text, ours, theirs)
		}
	}
}

// No text gets out of where it stands.
func TestNothingEscapes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := inner{Name: rapid.String().Draw(t, "name"), Note: rapid.StringOf(rapid.RuneFrom([]rune(`<>"'&=? /;#+%`+"`"))).Draw(t, "note")}
		set, err := markup.Parse("x", `<p title="{{.Name}}{{.Note}}">{{.Name}}{{.Note}}</p><a href="?a={{.Name}}{{.Note}}"></a>`, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := set.Execute(&out, "x", in); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if strings.Count(got, "<") != 4 || strings.Count(got, ">") != 4 || strings.Count(got, `"`) != 4 || strings.Contains(got, "'") {
			t.Fatalf("%+v becomes %s", in, got)
		}
		link := got[strings.LastIndex(got, "?a=")+3 : strings.LastIndex(got, `"`)]
		if strings.ContainsAny(link, "&#?=/ +") {
			t.Fatalf("%+v becomes the query %s", in, link)
		}
	})
}

func TestParseRefusesWhatItCannotMakeHarmless(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a script":                         `<script>x = {{.}}</script>`,
		"a style":                          `<style>{{.}}</style>`,
		"a comment":                        `<!-- {{.}} -->`,
		"a handler":                        `<p onclick="{{.}}">`,
		"a style of an element":            `<p style="{{.}}">`,
		"a source":                         `<img src="{{.}}">`,
		"a form's address":                 `<form action="?{{.}}">`,
		"a refresh":                        `<meta content="{{.}}">`,
		"an address":                       `<a href="{{.}}">`,
		"a value without quotes":           `<p title={{.}}>`,
		"a value in single quotes":         `<p title='{{.}}'>`,
		"the name of an attribute":         `<p {{.}}="x">`,
		"the name of an element":           `<{{.}}>`,
		"a call inside a tag":              `{{define "y"}}x{{end}}<p title="{{template "y" .}}">`,
		"an end inside a tag":              `<p`,
		"an end inside a value":            `<p title="`,
		"a branch that opens":              `{{if .}}<p title="{{end}}">`,
		"a branch that opens a script":     `{{range .}}<script>{{end}}`,
		"an unknown function":              `{{nothing .}}`,
		"what is no template":              `{{if}}`,
		"a loop that is broken off":        `{{range .}}{{break}}{{end}}`,
		"a definition that ends in a tag":  `{{define "y"}}<p {{end}}`,
		"a list that goes on inside a tag": `<p {{range .}}>{{end}}`,
	} {
		if _, err := markup.Parse("x", text, nil); err == nil {
			t.Errorf("%s is taken: %s", name, text)
		}
	}
}

func TestExecuteSaysWhatItDoesNotFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{.Nobody}}`:                       "no field Nobody",
		`{{.hidden}}`:                       "no field hidden",
		`{{.Title.Length}}`:                 "no structure",
		`{{.Nothing.Name}}`:                 "no structure",
		`{{.At.Format "2006"}}`:             "only functions take arguments",
		`{{.At.Unix}}`:                      "methods are not called",
		`{{range .Count}}x{{end}}`:          "no members",
		`{{named .Title}}`:                  "argument 1",
		`{{named}}`:                         "arguments",
		`{{upper .Nothing}}`:                "argument 1",
		`{{range .List}}{{named .}}{{end}}`: "two is refused",
		`{{eq .List .List}}`:                "compared",
		`{{ge .Title 1}}`:                   "compared",
		`{{len .Count}}`:                    "no length",
		`{{index .Title "a"}}`:              "no keys",
		`{{template "nobody" .}}`:           "no template nobody",
		`{{.Title | upper}}`:                "not understood",
		`{{1.5}}`:                           "not understood",
		`{{$a := 1}}{{$a = 2}}`:             "not understood",
	} {
		set, err := markup.Parse("x", text, functions())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := set.Execute(&out, "x", full()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	set, err := markup.Parse("x", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Execute(&bytes.Buffer{}, "y", nil); err == nil {
		t.Error("a template that is not there is executed")
	}
}

func TestFilesAreOneSet(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a.html": {Data: []byte(`{{define "part"}}{{.}}{{end}}`)}, "b.html": {Data: []byte(`<p>{{template "part" .}}</p>`)}, "c.txt": {Data: []byte(`{{`)}}
	set, err := markup.ParseFS(files, "*.html", nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := set.Execute(&out, "b.html", "x&y"); err != nil || out.String() != "<p>x&amp;y</p>" {
		t.Errorf("%s, %v", &out, err)
	}
	if _, err := markup.ParseFS(files, "*", nil); err == nil {
		t.Error("a file that is no template is taken")
	}
}
