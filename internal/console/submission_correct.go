package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// keptOutcome is an outcome whose only criterion is the content of the file.
type keptOutcome struct {
	Match     struct{ SHA256, Filename string }
	Facts     map[string]json.RawMessage
	Options   map[string]json.RawMessage
	Locations []map[string]json.RawMessage
	whole     map[string]json.RawMessage
}

// section returns the values of the company or the policy.
func (o *keptOutcome) section(key string) map[string]json.RawMessage {
	if key == "facts" {
		return o.Facts
	}
	return o.Options
}

// keptOutcome returns the tenant's outcome for the content of a file; nil if there is
// none.
func (v *visit) keptOutcome(sha256 string) (*keptOutcome, error) {
	var list struct{ Outcomes []json.RawMessage }
	if err := v.getInto(v.path("/outcomes"), &list); err != nil {
		if refused, ok := errors.AsType[*callError](err); ok && refused.Status == http.StatusRequestEntityTooLarge {
			return nil, nil
		}
		return nil, err
	}
	for _, text := range list.Outcomes {
		// Decode the values of one outcome only: all together can have many megabytes.
		var head struct {
			Match struct {
				SHA256, Filename string
				CompanyName      json.RawMessage `json:"company_name"`
			}
			Facts json.RawMessage
		}
		if err := json.Unmarshal(text, &head); err != nil {
			return nil, err
		}
		if head.Match.SHA256 == sha256 && head.Match.Filename == "" && head.Facts != nil && head.Match.CompanyName == nil {
			return decodeOutcome(text)
		}
	}
	return nil, nil
}

func decodeOutcome(text json.RawMessage) (*keptOutcome, error) {
	o := &keptOutcome{}
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &o.whole); err != nil {
		return nil, err
	}
	delete(o.whole, "created_at")
	return o, nil
}

// correct is `POST …/submissions/{tx_id}`: it keeps the values of the form as the outcome
// of the submission's file. Those that the form does not change stay as they are.
func (c *Console) correct(w http.ResponseWriter, r *http.Request) {
	v := c.visit(w, r)
	v.Tenant, v.Section = r.PathValue("t"), "submissions"
	v.txPath = v.path("/transactions/" + url.PathEscape(r.PathValue("tx_id")))
	if err := v.keepCorrections(); err != nil {
		if v.isFragment() {
			v.refuse(err)
			return
		}
		v.fail(err)
		return
	}
	http.Redirect(w, r, v.In("/submissions/"+url.PathEscape(r.PathValue("tx_id")))+"?kept=1", http.StatusSeeOther)
}

func (v *visit) keepCorrections() error {
	form, err := v.readForm(maxForm)
	if err != nil {
		return err
	}
	response, err := v.call(http.MethodGet, v.txPath+"/outcome", nil, "")
	if err == nil {
		err = response.err()
	}
	if err != nil {
		return err
	}
	base, err := decodeOutcome(response.body.Bytes())
	if err != nil {
		return err
	}
	kept, err := v.keptOutcome(base.Match.SHA256)
	if err != nil {
		return err
	}
	if kept != nil {
		base = kept
	}
	if err := base.set(form); err != nil {
		return err
	}
	body, err := json.Marshal(base.whole)
	if err != nil {
		return err
	}
	response, err = v.call(http.MethodPut, v.path("/outcomes"), bytes.NewReader(body), "application/json")
	if err == nil {
		err = response.err()
	}
	return err
}

// set changes the values of the outcome to those of the form. Each field has a hidden field
// with its previous value, whose name has the prefix "was.". Values that have not been
// changed are left out.
func (o *keptOutcome) set(form url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		given, path := strings.ReplaceAll(form.Get(name), "\r\n", "\n"), strings.Split(name, ".")
		if was := form["was."+name]; len(path) < 2 || path[0] == "was" || len(was) == 0 || strings.ReplaceAll(was[0], "\r\n", "\n") == given {
			continue
		}
		value, err := correctedValue(given, form.Get("kind."+name))
		if err != nil {
			return err
		}
		switch i := parseIndex(path[1]); {
		case path[0] == "facts" || path[0] == "options":
			section := map[string]json.RawMessage{}
			maps.Copy(section, o.section(path[0]))
			section[path[1]] = value
			if path[0] == "facts" {
				o.Facts = section
			} else {
				o.Options = section
			}
		case path[0] == "locations" && len(path) == 3 && i >= 0 && i < len(o.Locations):
			o.Locations[i][path[2]] = value
		}
	}
	for name, values := range map[string]any{"facts": o.Facts, "options": o.Options, "locations": o.Locations} {
		text, err := json.Marshal(values)
		if err != nil {
			return err
		}
		if string(text) != "null" {
			o.whole[name] = text
		}
	}
	return nil
}

// correctedValue returns the JSON of a corrected value. The kind is "" for a text, "list"
// for lines, and "codes" for lines that begin with a code.
func correctedValue(given, kind string) (json.RawMessage, error) {
	if kind == "" {
		return json.Marshal(strings.TrimSpace(given))
	}
	entries := []any{}
	for line := range strings.Lines(given) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if kind == "codes" {
			code, desc, _ := strings.Cut(line, " ")
			entries = append(entries, map[string]string{"code": code, "desc": strings.TrimSpace(desc)})
			continue
		}
		entries = append(entries, line)
	}
	return json.Marshal(entries)
}
